# Made of _async/connection.py by tools/unasync.py: change that one.
"""HTTP/1.1 over a line: one request and its answer after the other."""

from __future__ import annotations

from time import monotonic
from typing import Any, Callable, List, Mapping, Optional, Tuple

from .._body import Body
from .._calls.call import Call, encoded
from .._http import ConnectionBroke, Incoming, MalformedAnswer, head
from .._lines import Lines, parse
from .._problems import unreachable
from .._target import Target
from ..errors import SandglassError
from .concurrency import tell, work
from .line import Line

_FRESH = 30.0
"""The daemon ends connections on which nothing was said for a minute."""

BROKEN = (OSError, ConnectionBroke, MalformedAnswer)
"""With what a connection that is of no use any more fails."""


class Connection:
    """A connection to a daemon, for one request at a time."""

    def __init__(self, line: Line, target: Target) -> None:
        self._line = line
        self._target = target
        self._used = monotonic()
        self.heard = False
        """Whether anything of the last answer came."""

    @staticmethod
    def open(target: Target, patience: float) -> Connection:
        """Connects."""
        return Connection(Line.open(target, patience), target)

    def usable(self) -> bool:
        """Whether another request can be sent."""
        return monotonic() - self._used < _FRESH and self._line.usable()

    def exchange(self, call: Call[object], key: str, body: Optional[Body], patience: float) -> Answer:
        """Sends a request and returns when the head of the answer is there."""
        self.heard = False
        if call.body is not None:
            body = Body.of_bytes(encoded(call.body))
        begin = head(call.method, call.target, self._headers(call, key, body))
        refused = self._send(begin, body, patience)
        incoming = Incoming()
        while not incoming.begun:
            try:
                data = self._line.receive(patience)
                self.heard = self.heard or bool(data)
                incoming.feed(data)
            except BROKEN as problem:
                raise refused or problem
        if refused and incoming.status < 400:
            raise refused
        return Answer(self, self._line, incoming, patience, self._target, refused is None)

    def answered(self) -> None:
        """The answer was read to its end."""
        self._used = monotonic()

    def close(self) -> None:
        """Ends it at once."""
        self._line.close()

    def _headers(self, call: Call[object], key: str, body: Optional[Body]) -> List[Tuple[str, str]]:
        headers = [("Host", self._target.authority), ("Accept", call.accept)]
        if self._target.token:
            headers.append(("Authorization", "Bearer " + self._target.token))
        if key:
            headers.append(("Idempotency-Key", key))
        if body is None:
            return headers + ([("Content-Length", "0")] if call.method in ("POST", "PUT", "PATCH") else [])
        headers.append(("Content-Type", call.content_type or "application/json"))
        length = body.length
        return headers + [("Transfer-Encoding", "chunked") if length is None else ("Content-Length", str(length))]

    def _send(self, begin: bytes, body: Optional[Body], patience: float) -> Optional[Exception]:
        """Sends all of it. A daemon that answers before it has all wants no more: what stopped it is returned then."""
        try:
            if body is None:
                self._line.send(begin, patience)
                return None
            sent = 0
            piece = work(body.next)
            while piece:
                if sent and self._line.answered():
                    return ConnectionBroke("the daemon answered before it had all")
                sent += len(piece)
                self._line.send(begin + (piece if body.length is not None else b"%x\r\n%b\r\n" % (len(piece), piece)), patience)
                begin = b""
                if body.progress:
                    tell(body.progress, sent, body.total)
                piece = work(body.next)
            if body.length is None:
                begin += b"0\r\n\r\n"
            elif sent != body.length:
                raise SandglassError(
                    "invalid_request", f"There were {sent} bytes (expected: {body.length})", "What is sent must not change meanwhile."
                )
            if begin:
                self._line.send(begin, patience)
            return None
        except (BrokenPipeError, ConnectionResetError, ConnectionBroke) as problem:
            return problem


class Answer:
    """An answer whose head has come. Its body is read piece by piece; who does not read it to its end has to close it."""

    def __init__(
        self, connection: Connection, line: Line, incoming: Incoming, patience: float, target: Target, reusable: bool
    ) -> None:
        self._connection = connection
        self._line = line
        self._incoming = incoming
        self._patience = patience
        self._target = target
        self._reusable = reusable
        self._over = False
        self.at_end: Callable[[Connection], None] = Connection.close
        """What becomes of a connection that can carry another request."""

    @property
    def status(self) -> int:
        """As HTTP has it."""
        return self._incoming.status

    @property
    def headers(self) -> Mapping[str, str]:
        """By their names in lower case."""
        return self._incoming.headers

    @property
    def length(self) -> Optional[int]:
        """How long the body is, if that was told."""
        told = self.headers.get("content-length")
        return None if told is None else int(told)

    def piece(self) -> bytes:
        """The next bytes of the body; nothing at its end."""
        try:
            while True:
                data = self._incoming.take()
                if data:
                    return data
                if self._incoming.complete:
                    self._finish()
                    return b""
                self._incoming.feed(self._line.receive(self._patience))
        except BROKEN as problem:
            self.close()
            raise unreachable(self._target, problem) from problem
        except BaseException:
            self.close()
            raise

    def whole(self, most: int) -> bytes:
        """All of the body, which must not be more than that."""
        body = bytearray()
        piece = self.piece()
        while piece:
            body += piece
            if len(body) > most:
                self.close()
                raise SandglassError(
                    "too_large", f"The answer has more than {most} bytes", "Read it piece by piece, or into a file."
                )
            piece = self.piece()
        return bytes(body)

    def close(self) -> None:
        """Leaves, whatever is still to come."""
        if not self._over:
            self._over = True
            self._connection.close()

    def _finish(self) -> None:
        if not self._over:
            self._over = True
            self._connection.answered()
            if self._reusable and self._incoming.reusable:
                self.at_end(self._connection)
            else:
                self._connection.close()


class Values:
    """The values of an answer that has one in each line, as they come."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._lines = Lines()
        self._ready: List[bytes] = []

    def next(self) -> Any:
        """The next value; nothing at the end."""
        while True:
            while self._ready:
                line = self._ready.pop(0)
                if line:
                    return parse(line)
            piece = self._answer.piece()
            if not piece:
                return None
            self._ready = self._lines.feed(piece)

    def close(self) -> None:
        """Leaves."""
        self._answer.close()
