"""Services of a sandbox."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence

from .._calls import services as calls
from .._calls.call import given, milliseconds
from .._calls.commands import Words, argv
from .._gathering import Gathering
from ..models import ServiceInfo
from .client import AsyncClient
from .connection import AsyncValues


class AsyncServices:
    """Commands that a sandbox supervises: ``sandbox.services``. They start with it, and again when they end."""

    def __init__(self, client: AsyncClient, sandbox_id: str) -> None:
        self._client = client
        self._sandbox = sandbox_id

    async def create(
        self,
        name: str,
        cmd: Words,
        *,
        port: Optional[int] = None,
        cwd: Optional[str] = None,
        envs: Optional[Mapping[str, str]] = None,
        user: Optional[str] = None,
        description: Optional[str] = None,
        restart: Optional[str] = None,
        max_restarts: Optional[int] = None,
        backoff: Optional[float] = None,
        health: Optional[Mapping[str, Any]] = None,
        after: Optional[Sequence[str]] = None,
        start: Optional[bool] = None,
        replace: Optional[bool] = None,
    ) -> ServiceInfo:
        """Has a command supervised, and returns when it runs or could not be started; ``state`` tells.

        ``restart`` is ``never``, ``on-failure`` or ``always``, ``backoff`` the seconds before that. ``health`` tells how it is
        looked after: one of ``command``, ``path`` and ``tcp``.
        """
        body = given(
            name=name,
            argv=argv(cmd),
            port=port,
            cwd=cwd,
            env=envs and dict(envs),
            user=user,
            description=description,
            restart=restart,
            max_restarts=max_restarts,
            backoff_ms=milliseconds(backoff),
            health=health,
            after=after and list(after),
            start=start,
            replace=replace,
        )
        return await self._client.do(calls.create(self._sandbox, body))

    async def list(self) -> List[ServiceInfo]:
        """All of them, by name."""
        return await self._client.do(calls.listing(self._sandbox))

    async def get(self, name: str) -> ServiceInfo:
        """One of them."""
        return await self._client.do(calls.get(self._sandbox, name))

    async def start(self, name: str) -> ServiceInfo:
        """Starts it; fine if it runs."""
        return await self._client.do(calls.act(self._sandbox, name, "start"))

    async def stop(self, name: str) -> ServiceInfo:
        """Ends all of its processes. It stays stopped until it is started, or its sandbox is."""
        return await self._client.do(calls.act(self._sandbox, name, "stop"))

    async def restart(self, name: str) -> ServiceInfo:
        """Ends it and starts it."""
        return await self._client.do(calls.act(self._sandbox, name, "restart"))

    async def remove(self, name: str) -> None:
        """Ends it for good."""
        await self._client.do(calls.remove(self._sandbox, name))

    async def logs(self, name: str, *, lines: Optional[int] = None) -> str:
        """What is kept of what it printed, or so many of the last lines."""
        values = AsyncValues(await self._client.stream(calls.logs(self._sandbox, name, lines)))
        gathering = Gathering()
        value = await values.next()
        while value is not None:
            gathering.take(value)
            value = await values.next()
        return gathering.text()
