# Made of _async/volumes.py by tools/unasync.py: change that one.
"""Directories that outlive sandboxes."""

from __future__ import annotations

from typing import List, Mapping, Optional, Union

from .._calls import sandboxes
from .._calls import volumes as calls
from .._calls.call import given
from .._calls.files import VOLUMES
from ..models import MountedVolume, SandboxInfo, VolumeInfo
from .client import Client, client_of
from .files import StoredFiles
from .paging import MOST, Paginator


class Volume:
    """A durable directory that is mounted into sandboxes. Made by :meth:`create`, found by :meth:`get`."""

    def __init__(self, client: Client, info: VolumeInfo) -> None:
        self._client = client
        self.volume_id = info.volume_id
        """Its id, which stays."""
        self.name = info.name
        """Its name."""
        self.info = info
        """All that was known of it when it was made or found."""
        self.files = StoredFiles(client, info.volume_id, VOLUMES)
        """What is in it, whether a sandbox has it or not; paths begin at its root."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self.volume_id}>"

    @staticmethod
    def create(
        name: Optional[str] = None,
        *,
        size_mb: Optional[int] = None,
        metadata: Optional[Mapping[str, str]] = None,
        client: Optional[Client] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> Volume:
        """Makes an empty volume, which stays until it is deleted. Not more than ``size_mb`` can be written to it."""
        used = client_of(client, url, api_key)
        return Volume(used, used.do(calls.create(given(name=name, size_mb=size_mb, labels=metadata))))

    @staticmethod
    def get(
        volume: str, *, client: Optional[Client] = None, url: Optional[str] = None, api_key: Optional[str] = None
    ) -> Volume:
        """A volume by its name or id."""
        used = client_of(client, url, api_key)
        return Volume(used, used.do(calls.get(volume)))

    @staticmethod
    def list(
        *,
        metadata: Optional[Mapping[str, str]] = None,
        limit: int = MOST,
        client: Optional[Client] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> Paginator[VolumeInfo]:
        """All volumes that have that metadata, oldest first, in pages of ``limit``."""
        return Paginator(client_of(client, url, api_key), lambda cursor, most: calls.page(cursor, most, metadata), limit)

    def delete(
        self: Union[Volume, str],
        *,
        client: Optional[Client] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> None:
        """Removes it with all in it. ``Volume.delete("name")`` removes one by its name or id."""
        if isinstance(self, str):
            client_of(client, url, api_key).do(calls.delete(self))
        else:
            self._client.do(calls.delete(self.volume_id))

    def get_info(self) -> VolumeInfo:
        """What is known of it now, and which sandboxes have it."""
        self.info = self._client.do(calls.get(self.volume_id))
        return self.info

    def snapshot(self, name: Optional[str] = None, *, metadata: Optional[Mapping[str, str]] = None) -> Volume:
        """Keeps what it is now as a volume that never changes."""
        return self._copy("snapshot", name, metadata)

    def fork(self, name: Optional[str] = None, *, metadata: Optional[Mapping[str, str]] = None) -> Volume:
        """Makes a volume that begins with what it has now."""
        return self._copy("fork", name, metadata)

    def _copy(self, verb: str, name: Optional[str], metadata: Optional[Mapping[str, str]]) -> Volume:
        made = self._client.do(calls.copy(self.volume_id, verb, given(name=name, labels=metadata)))
        return Volume(self._client, made)


class Volumes:
    """The volumes that a sandbox has: ``sandbox.volumes``."""

    def __init__(self, client: Client, sandbox_id: str) -> None:
        self._client = client
        self._sandbox = sandbox_id

    def list(self) -> List[MountedVolume]:
        """Those that it has now."""
        return (self._client.do(sandboxes.get(self._sandbox))).volumes

    def attach(self, volume: Union[str, Volume], path: str, *, mode: Optional[str] = None) -> SandboxInfo:
        """Mounts one, at once if the sandbox runs: for it alone (``rw``), ``shared``, or only to read (``ro``)."""
        return self._client.do(calls.attach(self._sandbox, given(volume=_named(volume), path=path, mode=mode)))

    def detach(self, volume: Union[str, Volume]) -> SandboxInfo:
        """Takes one away from it."""
        return self._client.do(calls.detach(self._sandbox, _named(volume)))


def _named(volume: Union[str, Volume]) -> str:
    return volume if isinstance(volume, str) else volume.volume_id
