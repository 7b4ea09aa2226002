# Made of _async/snapshots.py by tools/unasync.py: change that one.
"""States of sandboxes that are kept, and the ways back to them."""

from __future__ import annotations

import os
from typing import List, Mapping, Optional, Union

from .._body import Body, LocalPath, Progress, opened
from .._calls import sandboxes as calls
from .._calls import snapshots
from .._calls.call import Call, given
from ..models import Diff, HistoryStep, SandboxInfo, Snapshot
from .client import Client, client_of
from .concurrency import work
from .files import Pieces
from .paging import MOST, Paginator

Which = Union[str, Snapshot]
"""A snapshot, or its name or id."""


class Snapshots:
    """What can be done with the states of a sandbox; a part of :class:`Sandbox`."""

    def __init__(self, client: Client, info: SandboxInfo) -> None:
        self._client = client
        self._info = info
        self._id = info.sandbox_id

    def history(self) -> List[HistoryStep]:
        """The line from the image through snapshots to what it is now."""
        return self._client.do(calls.history(self._id))

    def diff(self, before: Optional[Which] = None, *, text: bool = False) -> Diff:
        """What has changed since a snapshot, or since what it grew from; with ``text`` line by line."""
        return self._client.do(calls.diff(None if before is None else snapshot_named(before), self._id, text))

    def create_snapshot(
        self,
        name: Optional[str] = None,
        *,
        description: Optional[str] = None,
        metadata: Optional[Mapping[str, str]] = None,
        disk_only: Optional[bool] = None,
        expires: Optional[int] = None,
    ) -> Snapshot:
        """Captures it as it is now, with its processes where its runtime can and ``disk_only`` is not set. It goes on meanwhile.

        The snapshot never changes and outlives the sandbox; it goes after ``expires`` seconds, if that is set.
        """
        body = given(name=name, description=description, labels=metadata and dict(metadata), disk_only=disk_only, expires=expires)
        return self._client.do(snapshots.create(self._id, body))

    @staticmethod
    def list_snapshots(
        *,
        limit: int = MOST,
        metadata: Optional[Mapping[str, str]] = None,
        name: Optional[str] = None,
        everything: bool = False,
        client: Optional[Client] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> Paginator[Snapshot]:
        """All snapshots that have that metadata and a name that begins so; oldest first, in pages of ``limit``. ``everything`` tells of
        those too that are kept for sandboxes which are paused, were turned back or are captured now and then."""
        return Paginator(
            client_of(client, url, api_key), lambda cursor, most: snapshots.page(cursor, most, metadata, name, everything), limit
        )

    @staticmethod
    def get_snapshot(
        snapshot: Which, *, client: Optional[Client] = None, url: Optional[str] = None, api_key: Optional[str] = None
    ) -> Snapshot:
        """A snapshot by its name or id."""
        return client_of(client, url, api_key).do(snapshots.get(snapshot_named(snapshot)))

    @staticmethod
    def verify_snapshot(
        snapshot: Which, *, client: Optional[Client] = None, url: Optional[str] = None, api_key: Optional[str] = None
    ) -> Snapshot:
        """Reads every file of a snapshot; ``snapshot_damaged`` names what is not as it was."""
        return client_of(client, url, api_key).do(snapshots.verify(snapshot_named(snapshot)))

    @staticmethod
    def delete_snapshot(
        snapshot: Which, *, client: Optional[Client] = None, url: Optional[str] = None, api_key: Optional[str] = None
    ) -> None:
        """Removes a snapshot. What grew from it stays whole."""
        client_of(client, url, api_key).do(snapshots.delete(snapshot_named(snapshot)))

    @staticmethod
    def export_snapshot(
        snapshot: Which,
        local_path: LocalPath,
        *,
        thin: bool = False,
        on_progress: Optional[Progress] = None,
        client: Optional[Client] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> None:
        """Writes a snapshot into one file of this machine that any daemon imports; a ``thin`` one names its image only."""
        answer = client_of(client, url, api_key).stream(snapshots.export(snapshot_named(snapshot), thin))
        Pieces(answer, on_progress)._into(os.fspath(local_path))

    @staticmethod
    def import_snapshot(
        local_path: LocalPath,
        name: Optional[str] = None,
        *,
        on_progress: Optional[Progress] = None,
        client: Optional[Client] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> Snapshot:
        """Makes a snapshot of a file that was exported. It has the name that it had, or the one that is given."""
        file = work(opened, local_path)
        try:
            return client_of(client, url, api_key).do(snapshots.read_in(name), Body.of(file, on_progress))
        finally:
            file.close()

    def rewind(self, snapshot: Which, *, disk_only: bool = False) -> None:
        """Makes it what a snapshot has, under the same id, name and addresses. What it is now is kept: see :meth:`undo_rewind`."""
        self._take(calls.rewind(self._id, snapshot_named(snapshot), disk_only))

    def undo_rewind(self) -> None:
        """Makes it what it was before it was last turned back."""
        self._take(calls.rewind(self._id, None, False))

    def _take(self, call: Call[SandboxInfo]) -> SandboxInfo:
        self._info = self._client.do(call)
        return self._info


def snapshot_named(snapshot: Which) -> str:
    """How the daemon is told which one."""
    return snapshot if isinstance(snapshot, str) else snapshot.snapshot_id
