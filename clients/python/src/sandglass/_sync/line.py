"""A connection as bytes, for threads that block. Written by hand, beside that of ``_async``."""

from __future__ import annotations

import os
import socket
import ssl
from typing import Union

from .._keepalive import keep_alive
from .._target import Target

_MOST = 1 << 16
_DAY = 86_400.0


class Line:
    """Bytes both ways. One thread reads and one writes; any may close it."""

    def __init__(self, connection: Union[socket.socket, ssl.SSLSocket]) -> None:
        self._socket = connection
        self._process = os.getpid()

    def __del__(self) -> None:
        self._socket.close()

    @staticmethod
    def open(target: Target, patience: float) -> Line:
        """Connects, within that many seconds."""
        if target.socket:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        else:
            connection = socket.create_connection((target.host, target.port), patience)
        try:
            if target.socket:
                connection.settimeout(patience)
                connection.connect(target.socket)
            keep_alive(connection)
            if target.tls:
                return Line(ssl.create_default_context().wrap_socket(connection, server_hostname=target.host))
            return Line(connection)
        except BaseException:
            connection.close()
            raise

    def send(self, data: bytes, patience: float) -> None:
        """Sends all of it; fails if it is not taken for that many seconds."""
        self._be_patient(patience)
        self._socket.sendall(data)

    def receive(self, patience: float) -> bytes:
        """What has come, at least a byte; nothing at the end. Fails if nothing comes for that many seconds."""
        self._be_patient(patience)
        return self._socket.recv(_MOST)

    def answered(self) -> bool:
        """Whether something has come, or the other side has left. What TLS says for itself is no answer."""
        if isinstance(self._socket, ssl.SSLSocket):
            return self._socket.pending() > 0
        return self._has_input()

    def usable(self) -> bool:
        """Whether a request can be sent on it."""
        return self._process == os.getpid() and not self._has_input()

    def close(self) -> None:
        """Ends it at once; who waits for it finds the end."""
        if self._process == os.getpid():
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has ended already
        self._socket.close()

    def _has_input(self) -> bool:
        """Looks without taking anything; below TLS, if there is any."""
        self._socket.settimeout(0)
        try:
            socket.socket.recv(self._socket, 1, socket.MSG_PEEK)
            return True
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            return True

    def _be_patient(self, patience: float) -> None:
        self._socket.settimeout(patience if patience < _DAY else None)
