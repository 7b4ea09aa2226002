"""Sandboxes and snapshots by names that the caller chooses."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .._calls import sandboxes as calls
from ..errors import SandboxNotFoundError, error_of
from ..models import SandboxInfo
from .client import AsyncClient, client_of
from .paging import MOST
from .sandbox import AsyncSandbox


class AsyncNamedSandbox(AsyncSandbox):
    """A sandbox of an :class:`AsyncSandboxManager`: with all that a sandbox has, and the short ways that go with a manager."""

    async def run_cmd(self, cmd: str) -> Dict[str, Any]:
        """Runs a line of shell; tells ``output``, ``error`` and ``exit_code``."""
        result = await self.commands.run(cmd)
        return {"output": result.stdout, "error": result.stderr, "exit_code": result.exit_code}

    async def snapshot(self, snapshot_id: Optional[str] = None) -> str:
        """Captures it under a name that the caller chooses, and returns what to restore by."""
        made = await self.create_snapshot(snapshot_id or None)
        return made.name or made.snapshot_id

    async def destroy(self) -> None:
        """Ends it for good."""
        await self.kill()


class AsyncSandboxManager:
    """Sandboxes by name: started, captured under names that the caller chooses, and restored."""

    def __init__(
        self, base_url: Optional[str] = None, api_key: Optional[str] = None, *, client: Optional[AsyncClient] = None
    ) -> None:
        """Of the daemon at ``base_url``, or the one that is found without."""
        self._client = client_of(client, base_url, api_key)

    async def start_sandbox(self, name: str, **options: Any) -> AsyncNamedSandbox:
        """Makes a sandbox of that name, with what :meth:`AsyncSandbox.create` takes."""
        return await AsyncNamedSandbox.create(name=name, client=self._client, **options)

    async def snapshot(self, vm_name: str, snapshot_id: Optional[str] = None) -> str:
        """Captures a sandbox under the name ``snapshot_id``, and returns what to restore by."""
        return await (await self.get(vm_name)).snapshot(snapshot_id)

    async def restore(self, vm_name: str, snapshot_id: str) -> AsyncNamedSandbox:
        """Turns the sandbox of that name back to a snapshot, or makes it of the snapshot if there is none."""
        try:
            sandbox = await self.get(vm_name)
        except SandboxNotFoundError:
            return await self.start_sandbox(vm_name, snapshot_id=snapshot_id)
        await sandbox.rewind(snapshot_id)
        return sandbox

    async def get(self, name: str) -> AsyncNamedSandbox:
        """The sandbox of that name, or with that id, as it is."""
        info = await self._client.do(calls.get(name))
        if name not in (info.name, info.sandbox_id):  # the daemon takes the beginning of an id, too
            raise error_of("sandbox_not_found", f"There is no sandbox {name}.", "See list_all() for those that there are.")
        return self._of(info)

    async def list_all(self) -> List[AsyncNamedSandbox]:
        """All sandboxes, oldest first."""
        return [self._of(info) async for info in AsyncSandbox.list(limit=MOST, client=self._client)]

    async def destroy_all(self) -> None:
        """Ends all sandboxes of the daemon for good, whoever made them. Snapshots stay."""
        for sandbox in await self.list_all():
            await sandbox.kill()

    def _of(self, info: SandboxInfo) -> AsyncNamedSandbox:
        return AsyncNamedSandbox(self._client, info)
