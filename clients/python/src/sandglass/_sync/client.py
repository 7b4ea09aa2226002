# Made of _async/client.py by tools/unasync.py: change that one.
"""A daemon, as a program sees it: operations go there and answers come back, over connections that are used again."""

from __future__ import annotations

import os
import uuid
from collections import deque
from typing import Any, Deque, Dict, Optional, TypeVar

from .._body import Body
from .._calls.call import Call
from .._calls.sandboxes import status
from .._http import MalformedAnswer
from .._lines import parse
from .._problems import MOST, problem_of, unreachable
from .._target import Target
from ..errors import invalid
from .concurrency import Ending
from .connection import BROKEN, Answer, Connection

T = TypeVar("T")

_CONNECT = 10.0
_KEPT = 16
_MOST_ANSWER = 1 << 28
_STATUS = status()
_PORTS = {"http": 80, "https": 443}


class Client:
    """A daemon to talk to. All of this package takes one as ``client=``, and finds one by itself without that.

    Safe to be used by many at once; each call has a connection of its own.
    """

    def __init__(self, url: Optional[str] = None, api_key: Optional[str] = None, *, request_timeout: float = 180.0) -> None:
        """A daemon by its URL (``http://``, ``https://`` or ``unix:///PATH``) and API key, or as the environment says.

        ``request_timeout`` is for how many seconds it may be silent before it is taken for dead. What may take longer, such
        as a command or a build, is waited for longer; a connection that was lost is noticed all the same.
        """
        if request_timeout <= 0:
            raise invalid(f"request_timeout: {request_timeout} (expected: > 0 seconds)", "Leave it out for three minutes.")
        self._target = Target.find(url, api_key, os.environ)
        self._patience = request_timeout
        self._idle: Deque[Connection] = deque()
        self._ending = Ending(self.close)
        self._status: Optional[Dict[str, Any]] = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._target}>"

    def do(self, call: Call[T], body: Optional[Body] = None) -> T:
        """Does an operation and returns what it answers."""
        answer = self.stream(call, body)
        text = answer.whole(_MOST_ANSWER)
        try:
            return call.read(parse(text) if text else None)
        except (MalformedAnswer, LookupError, TypeError, AttributeError, ValueError) as problem:
            raise unreachable(self._target, MalformedAnswer(f"the answer is not as described ({problem})")) from problem

    def stream(self, call: Call[Any], body: Optional[Body] = None) -> Answer:
        """Does an operation whose answer is read as it comes."""
        key = uuid.uuid4().hex if call.once else ""
        patience = self._patience if call.patience is None else max(call.patience, self._patience)
        answer = self._send(call, key, body, patience)
        answer.at_end = self._keep
        if 200 <= answer.status < 300:
            return answer
        raise problem_of(answer.status, answer.headers, answer.whole(MOST))

    def host_of(self, port: int, sandbox: str) -> str:
        """Under which host name, and port if it is not the usual one, a port of a sandbox is reached from outside."""
        told = self._status or self._ask_status()
        scheme, _, address = str(told["route_address"]).partition("://")
        outer = address.rpartition(":")[2]
        host = f"{port}-{sandbox.replace('-', '', 1)}.{told['route_domain']}"
        return host if outer == str(_PORTS.get(scheme)) else f"{host}:{outer}"

    def close(self) -> None:
        """Ends the connections that wait for their next use. It can be used again afterwards."""
        while self._idle:
            self._idle.pop().close()

    def _ask_status(self) -> Dict[str, Any]:
        told = self.do(_STATUS)
        self._status = told
        return told

    def _send(self, call: Call[Any], key: str, body: Optional[Body], patience: float) -> Answer:
        """On a connection that was used before, which may have been ended just now: then once more, if nothing can be done twice."""
        kept = self._kept()
        try:
            if kept:
                try:
                    return self._exchange(kept, call, key, body, patience)
                except BROKEN:
                    if kept.heard or body is not None or not call.repeatable:
                        raise
            self._ending.begin()
            opened = Connection.open(self._target, min(_CONNECT, patience))
            return self._exchange(opened, call, key, body, patience)
        except BROKEN as problem:
            raise unreachable(self._target, problem) from problem

    def _exchange(
        self, connection: Connection, call: Call[Any], key: str, body: Optional[Body], patience: float
    ) -> Answer:
        try:
            return connection.exchange(call, key, body, patience)
        except BaseException:
            connection.close()
            raise

    def _kept(self) -> Optional[Connection]:
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None  # somebody else took the last one
            if connection.usable():
                return connection
            connection.close()
        return None

    def _keep(self, connection: Connection) -> None:
        if len(self._idle) < _KEPT:
            self._idle.append(connection)
        else:
            connection.close()


_known: Dict[Target, Client] = {}


def client_of(client: Optional[Client], url: Optional[str], api_key: Optional[str]) -> Client:
    """The client that is given, or the one of the daemon that is meant."""
    if client is not None:
        if url is not None or api_key is not None:
            raise invalid("client, url, api_key: given together (expected: client alone)", "A client has its own URL and key.")
        return client
    fresh = Client(url, api_key)
    if len(_known) >= _KEPT:
        _known.clear()
    return _known.setdefault(fresh._target, fresh)
