"""A connection as bytes, on an event loop."""

from __future__ import annotations

import asyncio
import os
import ssl
from typing import Awaitable, Optional, TypeVar

from .._http import ConnectionBroke
from .._keepalive import keep_alive
from .._target import Target

_FULL = 1 << 18
_MOST = 1 << 16
_DAY = 86_400.0
_T = TypeVar("_T")


class AsyncLine:
    """Bytes both ways. One task reads and one writes; it belongs to the loop that opened it."""

    def __init__(self, wire: _Wire, transport: asyncio.Transport) -> None:
        self._wire = wire
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._process = os.getpid()

    @staticmethod
    async def open(target: Target, patience: float) -> AsyncLine:
        """Connects, within that many seconds."""
        loop = asyncio.get_running_loop()
        if target.socket:
            transport, wire = await _within(loop.create_unix_connection(_Wire, target.socket), patience)
        else:
            tls = ssl.create_default_context() if target.tls else None
            transport, wire = await _within(loop.create_connection(_Wire, target.host, target.port, ssl=tls), patience)
            keep_alive(transport.get_extra_info("socket"))
        return AsyncLine(wire, transport)

    async def send(self, data: bytes, patience: float) -> None:
        """Sends all of it; fails if it is not taken for that many seconds."""
        self._wire.check()
        self._transport.write(data)
        if self._wire.full:
            await _within(self._wire.drained(), patience)

    async def receive(self, patience: float) -> bytes:
        """What has come, at least a byte; nothing at the end. Fails if nothing comes for that many seconds."""
        if not self.answered():
            await _within(self._wire.arrival(), patience)
        return self._wire.take()

    def answered(self) -> bool:
        """Whether something has come, or the other side has left."""
        return bool(self._wire.input) or self._wire.ended

    def usable(self) -> bool:
        """Whether a request can be sent on it."""
        own = self._loop is asyncio.get_running_loop() and self._process == os.getpid()
        return own and not self.answered() and not self._transport.is_closing()

    def close(self) -> None:
        """Ends it at once; who waits for it finds the end."""
        if self._process == os.getpid() and not self._loop.is_closed():
            self._transport.abort()


class _Wire(asyncio.Protocol):
    """What has come and was not taken yet: when that is much the other side has to wait."""

    def __init__(self) -> None:
        self.input = bytearray()
        self.ended = False
        self.full = False
        self._problem: Optional[str] = None
        self._transport: Optional[asyncio.Transport] = None
        self._reader: Optional[asyncio.Future[None]] = None
        self._writer: Optional[asyncio.Future[None]] = None
        self._resting = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=_FULL)

    def data_received(self, data: bytes) -> None:
        self.input += data
        if len(self.input) > _FULL and not self._resting and self._transport:
            self._resting = True
            self._transport.pause_reading()
        _wake(self._reader)

    def eof_received(self) -> bool:
        self.ended = True
        _wake(self._reader)
        return False

    def connection_lost(self, problem: Optional[Exception]) -> None:
        self.ended = True
        self._problem = str(problem) if problem else "it was closed"
        _wake(self._reader)
        _wake(self._writer)

    def pause_writing(self) -> None:
        self.full = True

    def resume_writing(self) -> None:
        self.full = False
        _wake(self._writer)

    def check(self) -> None:
        """Fails if nothing can be sent any more."""
        if self._problem is not None:
            raise ConnectionBroke(self._problem)

    async def drained(self) -> None:
        """Waits until what is still to be sent is little."""
        while self.full:
            self.check()
            self._writer = asyncio.get_running_loop().create_future()
            await self._writer
        self.check()

    async def arrival(self) -> None:
        """Waits until something comes, or the end."""
        while not self.input and not self.ended:
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader

    def take(self) -> bytes:
        """What has come; nothing if that was all."""
        data = bytes(self.input[:_MOST])
        del self.input[:_MOST]
        if self._resting and len(self.input) < _FULL // 2 and self._transport and not self.ended:
            self._resting = False
            self._transport.resume_reading()
        return data


def _wake(future: Optional[asyncio.Future[None]]) -> None:
    if future and not future.done():
        future.set_result(None)


async def _within(waiting: Awaitable[_T], patience: float) -> _T:
    """As :func:`asyncio.wait_for`; its error is none of the system before Python 3.11."""
    try:
        return await asyncio.wait_for(waiting, patience if patience < _DAY else None)
    except asyncio.TimeoutError:
        raise TimeoutError(f"nothing for {patience:g} seconds") from None
