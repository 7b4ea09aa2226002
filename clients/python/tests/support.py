"""What the tests share: a daemon that runs, found as any program finds it, and sandboxes that go when a test is over."""

from __future__ import annotations

import os
import socket
import ssl
import sys
import threading
import time
import unittest
import uuid
from pathlib import Path
from typing import Any, Callable, List, Optional, TypeVar

HERE = Path(__file__).resolve().parent
CLIENT = HERE.parent
PROJECT = CLIENT.parent.parent
sys.path.insert(0, str(CLIENT / "src"))

from sandglass import Client, Sandbox, SnapshotNotFoundError  # noqa: E402
from sandglass._calls.sandboxes import status  # noqa: E402
from sandglass._target import Target  # noqa: E402

T = TypeVar("T")

MEMORY_MB = 256

OWN_DAEMON = os.environ.get("SANDGLASS_TEST_DAEMON") == "1"
"""Whether the daemon is there for these tests alone, so that they may restart it and destroy all that it has."""


def runtimes() -> List[str]:
    """Those that this machine has."""
    return [runtime["name"] for runtime in Client().do(status())["runtimes"] if runtime["available"]]


def unique(word: str) -> str:
    """A name that nothing else has."""
    return f"{word}-{uuid.uuid4().hex[:8]}"


def eventually(what: Callable[[], T], seconds: float = 60.0) -> T:
    """Waits until something is true, and returns it."""
    end = time.monotonic() + seconds
    while True:
        value = what()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} seconds; the last was {value!r}")
        time.sleep(0.02)


class SandboxTest(unittest.TestCase):
    """A test with sandboxes."""

    def sandbox(self, **options: Any) -> Sandbox:
        """One that goes when the test is over."""
        made = Sandbox.create(**{"memory_mb": MEMORY_MB, "runtime": "container", **options})
        self.addCleanup(made.kill)
        return made

    def snapshot_goes(self, snapshot: str) -> None:
        """Removes a snapshot when the test is over."""

        def remove() -> None:
            try:
                Sandbox.delete_snapshot(snapshot)
            except SnapshotNotFoundError:
                pass

        self.addCleanup(remove)


def on_each_runtime(test: Callable[[Any, str], None]) -> Callable[[Any], None]:
    """A test that is done once for each runtime."""

    def all_of_them(self: Any) -> None:
        for runtime in runtimes():
            with self.subTest(runtime=runtime):
                test(self, runtime)

    all_of_them.__name__ = test.__name__
    all_of_them.__doc__ = test.__doc__
    return all_of_them


class Relay:
    """A connection to the daemon that can be cut: it passes on what goes both ways, as a network does that then fails."""

    def __init__(self, tls: Optional[ssl.SSLContext] = None) -> None:
        self._tls = tls
        self._target = Target.find(None, None, os.environ)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._pairs: List[Any] = []
        self.connections = 0
        self.requests = 0
        self.cut_before_answer: Optional[bytes] = None
        """The beginning of a request of which the daemon gets all, and the client no answer. Once."""
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def api_key(self) -> str:
        """What the daemon wants."""
        return self._target.token

    def cut(self) -> None:
        """Ends all connections."""
        for one in self._pairs:
            for side in one:
                try:
                    side.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self._pairs.clear()

    def close(self) -> None:
        """Ends it."""
        self._listener.close()
        sides = [side for pair in self._pairs for side in pair]
        self.cut()
        for side in sides:
            side.close()

    def _accept(self) -> None:
        while True:
            try:
                outer, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            if self._tls:
                try:
                    outer = self._tls.wrap_socket(outer, server_side=True)
                except OSError:
                    continue  # it does not trust this one
            if self._target.socket:
                inner = socket.socket(socket.AF_UNIX)
                inner.connect(self._target.socket)
            else:
                inner = socket.create_connection((self._target.host, self._target.port))
            self._pairs.append((outer, inner))
            cut = threading.Event()
            threading.Thread(target=self._pass, args=(outer, inner, cut, True), daemon=True).start()
            threading.Thread(target=self._pass, args=(inner, outer, cut, False), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, cut: threading.Event, is_request: bool) -> None:
        try:
            while True:
                data = source.recv(1 << 16)
                if is_request and data:
                    self.requests += 1
                    if self.cut_before_answer and data.startswith(self.cut_before_answer):
                        self.cut_before_answer = None
                        cut.set()
                if not is_request and cut.is_set():
                    source.close()
                    sink.shutdown(socket.SHUT_RDWR)
                    return
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    return
                sink.sendall(data)
        except OSError:
            return
