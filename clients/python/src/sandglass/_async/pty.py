"""Terminals in a sandbox."""

from __future__ import annotations

from typing import Callable, Mapping, Optional

from .._calls import commands as calls
from .._calls.commands import Words
from ..models import CommandInfo, CommandResult
from .client import AsyncClient
from .commands import AsyncStarted, Hearing
from .concurrency import Told

Screen = Callable[[bytes], Told]
"""A function that is told what a terminal shows, as bytes: an escape sequence may come in two pieces."""


class AsyncPty:
    """Commands with a terminal: ``sandbox.pty``."""

    def __init__(self, client: AsyncClient, sandbox_id: str) -> None:
        self._client = client
        self._sandbox = sandbox_id

    async def create(
        self,
        cols: int = 80,
        rows: int = 24,
        on_data: Optional[Screen] = None,
        *,
        cmd: Optional[Words] = None,
        envs: Optional[Mapping[str, str]] = None,
        cwd: Optional[str] = None,
        user: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> AsyncPtyHandle:
        """Starts a command in a terminal of that size, a login shell if none is named. ``on_data`` is told what it shows."""
        variables = {"TERM": "xterm-256color", **(envs or {})}
        size = {"cols": cols, "rows": rows}
        request = calls.request(calls.terminal(cmd), variables, cwd, user, timeout, pty=size, hold=on_data is not None)
        return self._handle(await self._client.do(calls.start(self._sandbox, request)), on_data)

    async def connect(self, command_id: str, on_data: Optional[Screen] = None) -> AsyncPtyHandle:
        """A terminal that was started before. ``on_data`` is told what is kept of what it showed, and what it shows."""
        return self._handle(await self._client.do(calls.get(self._sandbox, command_id)), on_data)

    def _handle(self, info: CommandInfo, on_data: Optional[Screen]) -> AsyncPtyHandle:
        handle = AsyncPtyHandle(self._client, self._sandbox, info)
        if on_data is not None:
            handle._listen(_seeing(on_data))
        return handle


class AsyncPtyHandle(AsyncStarted):
    """A command with a terminal. What is typed goes to :meth:`send_stdin`."""

    async def resize(self, cols: int, rows: int) -> None:
        """Gives the terminal another size, of which its programs are told."""
        await self._client.do(calls.resize(self._sandbox, self.command_id, cols, rows))

    async def wait(self, on_data: Optional[Screen] = None, *, timeout: Optional[float] = None, check: bool = False) -> CommandResult:
        """Waits for its end. Everything that the terminal showed is ``stdout``, as far as it is kept.

        After ``timeout`` seconds that is a :class:`~sandglass.WaitTimeoutError`; the command goes on.
        """
        return await self._wait(None if on_data is None else _seeing(on_data), timeout, check)


def _seeing(on_data: Screen) -> Hearing:
    return lambda piece: on_data(piece.data)
