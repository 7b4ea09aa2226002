"""Sandboxes that can be frozen, copied and turned back in time.

    from sandglass import Sandbox

    with Sandbox.create() as sandbox:
        print(sandbox.commands.run("uname -a").stdout)

Everything is there twice: as it is for programs that wait for each call, and with ``Async`` before its name for programs with
an event loop. All of it needs nothing but Python's own library.
"""

from . import errors, models
from ._async.client import AsyncClient
from ._async.commands import AsyncCommandHandle, AsyncCommands, AsyncOutputStream
from ._async.files import AsyncFiles, AsyncPieces, AsyncStoredFiles, AsyncWatchHandle
from ._async.manager import AsyncNamedSandbox, AsyncSandboxManager
from ._async.network import AsyncNetwork
from ._async.paging import AsyncPaginator
from ._async.pty import AsyncPty, AsyncPtyHandle
from ._async.race import AsyncRaceResult
from ._async.routes import AsyncRoutes
from ._async.sandbox import AsyncSandbox
from ._async.services import AsyncServices
from ._async.snapshots import AsyncSnapshots
from ._async.volumes import AsyncVolume, AsyncVolumes
from ._sync.client import Client
from ._sync.commands import CommandHandle, Commands, OutputStream
from ._sync.files import Files, Pieces, StoredFiles, WatchHandle
from ._sync.manager import NamedSandbox, SandboxManager
from ._sync.network import Network
from ._sync.paging import Paginator
from ._sync.pty import Pty, PtyHandle
from ._sync.race import RaceResult
from ._sync.routes import Routes
from ._sync.sandbox import Sandbox
from ._sync.services import Services
from ._sync.snapshots import Snapshots
from ._sync.volumes import Volume, Volumes
from .errors import *  # noqa: F403
from .models import *  # noqa: F403

__all__ = [
    "AsyncClient",
    "AsyncCommandHandle",
    "AsyncCommands",
    "AsyncFiles",
    "AsyncNamedSandbox",
    "AsyncNetwork",
    "AsyncOutputStream",
    "AsyncPaginator",
    "AsyncPieces",
    "AsyncPty",
    "AsyncPtyHandle",
    "AsyncRaceResult",
    "AsyncRoutes",
    "AsyncSandbox",
    "AsyncSandboxManager",
    "AsyncServices",
    "AsyncStoredFiles",
    "AsyncSnapshots",
    "AsyncVolume",
    "AsyncVolumes",
    "AsyncWatchHandle",
    "Client",
    "CommandHandle",
    "Commands",
    "Files",
    "NamedSandbox",
    "Network",
    "OutputStream",
    "Paginator",
    "Pieces",
    "Pty",
    "PtyHandle",
    "RaceResult",
    "Routes",
    "Sandbox",
    "SandboxManager",
    "Services",
    "StoredFiles",
    "Snapshots",
    "Volume",
    "Volumes",
    "WatchHandle",
]
__all__ += errors.__all__
__all__ += models.__all__
