# Made of _async/manager.py by tools/unasync.py: change that one.
"""Sandboxes and snapshots by names that the caller chooses."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .._calls import sandboxes as calls
from ..errors import SandboxNotFoundError, error_of
from ..models import SandboxInfo
from .client import Client, client_of
from .paging import MOST
from .sandbox import Sandbox


class NamedSandbox(Sandbox):
    """A sandbox of a :class:`SandboxManager`: with all that a sandbox has, and the short ways that go with a manager."""

    def run_cmd(self, cmd: str) -> Dict[str, Any]:
        """Runs a line of shell; tells ``output``, ``error`` and ``exit_code``."""
        result = self.commands.run(cmd)
        return {"output": result.stdout, "error": result.stderr, "exit_code": result.exit_code}

    def snapshot(self, snapshot_id: Optional[str] = None) -> str:
        """Captures it under a name that the caller chooses, and returns what to restore by."""
        made = self.create_snapshot(snapshot_id or None)
        return made.name or made.snapshot_id

    def destroy(self) -> None:
        """Ends it for good."""
        self.kill()


class SandboxManager:
    """Sandboxes by name: started, captured under names that the caller chooses, and restored."""

    def __init__(
        self, base_url: Optional[str] = None, api_key: Optional[str] = None, *, client: Optional[Client] = None
    ) -> None:
        """Of the daemon at ``base_url``, or the one that is found without."""
        self._client = client_of(client, base_url, api_key)

    def start_sandbox(self, name: str, **options: Any) -> NamedSandbox:
        """Makes a sandbox of that name, with what :meth:`Sandbox.create` takes."""
        return NamedSandbox.create(name=name, client=self._client, **options)

    def snapshot(self, vm_name: str, snapshot_id: Optional[str] = None) -> str:
        """Captures a sandbox under the name ``snapshot_id``, and returns what to restore by."""
        return (self.get(vm_name)).snapshot(snapshot_id)

    def restore(self, vm_name: str, snapshot_id: str) -> NamedSandbox:
        """Turns the sandbox of that name back to a snapshot, or makes it of the snapshot if there is none."""
        try:
            sandbox = self.get(vm_name)
        except SandboxNotFoundError:
            return self.start_sandbox(vm_name, snapshot_id=snapshot_id)
        sandbox.rewind(snapshot_id)
        return sandbox

    def get(self, name: str) -> NamedSandbox:
        """The sandbox of that name, or with that id, as it is."""
        info = self._client.do(calls.get(name))
        if name not in (info.name, info.sandbox_id):  # the daemon takes the beginning of an id, too
            raise error_of("sandbox_not_found", f"There is no sandbox {name}.", "See list_all() for those that there are.")
        return self._of(info)

    def list_all(self) -> List[NamedSandbox]:
        """All sandboxes, oldest first."""
        return [self._of(info) for info in Sandbox.list(limit=MOST, client=self._client)]

    def destroy_all(self) -> None:
        """Ends all sandboxes of the daemon for good, whoever made them. Snapshots stay."""
        for sandbox in self.list_all():
            sandbox.kill()

    def _of(self, info: SandboxInfo) -> NamedSandbox:
        return NamedSandbox(self._client, info)
