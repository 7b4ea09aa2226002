"""What the daemon tells about sandboxes and all that belongs to them, as records that do not change."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Dict, List, Optional

from ._reading import named

__all__ = [
    "CommandInfo",
    "CommandResult",
    "Diff",
    "EntryInfo",
    "Exit",
    "FileChange",
    "HistoryStep",
    "MountedVolume",
    "NetworkAttempt",
    "NetworkPolicy",
    "Output",
    "PackageChange",
    "ProcessChange",
    "RaceBranch",
    "RouteInfo",
    "RouteLink",
    "Sample",
    "SandboxInfo",
    "SandboxStats",
    "ServiceInfo",
    "Snapshot",
    "StatsLimits",
    "Unpacked",
    "VolumeInfo",
    "VolumeMount",
    "VolumeUser",
    "WatchEvent",
]

TIMED_OUT = 124


@dataclass(frozen=True)
class NetworkPolicy:
    """What a sandbox may reach: the first rule that matches decides, then the preset, or what holds otherwise.

    Rules read like ``allow api.example.org:443`` or ``deny *.example.org``; presets are ``none``, ``open`` and
    ``package-registries``.
    """

    preset: Optional[str] = None
    rules: List[str] = field(default_factory=list)
    otherwise: Optional[str] = None


@dataclass(frozen=True)
class VolumeMount:
    """A volume, by name or id, and where a sandbox is to have it. Modes are ``rw`` (it alone), ``shared`` and ``ro``."""

    volume: str
    path: str
    mode: Optional[str] = None


@dataclass(frozen=True)
class MountedVolume:
    """A volume that a sandbox has."""

    volume_id: str = named("id")
    name: str = ""
    path: str = ""
    mode: str = ""


@dataclass(frozen=True)
class SandboxInfo:
    """A sandbox as it was when the daemon was asked. Times that are not told never come."""

    sandbox_id: str = named("id")
    name: str = ""
    state: str = ""
    """``creating``, ``running``, ``stopping``, ``stopped``, ``starting``, ``failed``, ``paused``, ``resuming``, ``destroying``
    or ``destroyed``."""
    reason: Optional[str] = None
    """Why it is in that state, where that is known: ``api``, ``timeout``, ``oom``, ..."""
    runtime: str = ""
    security: str = ""
    capabilities: List[str] = field(default_factory=list)
    memory_mb: int = 0
    cpus: float = 0.0
    disk_mb: int = 0
    max_processes: int = 0
    envs: Dict[str, str] = field(default_factory=dict, metadata={"name": "env"})
    metadata: Dict[str, str] = field(default_factory=dict, metadata={"name": "labels"})
    network: Optional[NetworkPolicy] = None
    credentials: List[str] = field(default_factory=list)
    image: str = ""
    snapshot_id: Optional[str] = named("snapshot", None)
    """The snapshot whose state it last had."""
    created_at: Optional[datetime] = None
    started_at: Optional[datetime] = None
    timeout: Optional[int] = None
    timeout_at: Optional[datetime] = None
    on_timeout: Optional[str] = None
    ttl: Optional[int] = None
    ttl_at: Optional[datetime] = None
    hard_ttl: Optional[int] = None
    hard_ttl_at: Optional[datetime] = None
    auto_resume: Optional[bool] = None
    checkpoint_every: Optional[int] = None
    checkpoint_at: Optional[datetime] = None
    keep_checkpoints: Optional[int] = None
    restart: Optional[str] = None
    volumes: List[MountedVolume] = field(default_factory=list)
    user: Optional[str] = None
    workdir: Optional[str] = None
    warnings: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class Snapshot:
    """A state of a sandbox that was captured and never changes."""

    created_at: datetime
    """When it was taken, with its time zone."""
    snapshot_id: str = named("id")
    sandbox_id: Optional[str] = None
    """Of which it was taken; that may be gone. Nothing if it came from a file that does not say."""
    name: Optional[str] = None
    kind: str = ""
    """``disk``, or ``full`` with memory and processes."""
    purpose: str = ""
    state: str = ""
    parent: Optional[str] = None
    sandbox_name: str = ""
    runtime: str = ""
    image: str = ""
    own_bytes: int = 0
    total_bytes: int = 0
    memory_bytes: int = 0
    pause_ms: float = 0.0
    """For how long the sandbox stood still."""
    description: str = ""
    metadata: Dict[str, str] = field(default_factory=dict, metadata={"name": "labels"})
    expires_at: Optional[datetime] = None
    volumes: List[MountedVolume] = field(default_factory=list)


@dataclass(frozen=True)
class CommandResult:
    """How a command ended, and what it printed: of each kind the first 16 MiB."""

    stdout: str
    stderr: str
    exit_code: int
    """As a shell has it: 128 + n for signal n, and 124 when its time was over."""
    reason: Optional[str] = None
    """``timeout``, ``oom`` or ``rewound`` where that is why it ended."""
    message: Optional[str] = None
    """More about the reason."""
    stdout_truncated: bool = False
    stderr_truncated: bool = False


@dataclass(frozen=True)
class Exit:
    """How a command ended."""

    code: int
    """128 + n for signal n."""
    signal: Optional[int] = None
    reason: Optional[str] = None
    message: Optional[str] = None
    ended_at: Optional[datetime] = None

    @property
    def exit_code(self) -> int:
        """As in a :class:`CommandResult`: 124 when its time was over."""
        return TIMED_OUT if self.reason == "timeout" else self.code


@dataclass(frozen=True)
class CommandInfo:
    """A command that runs, or that ended and is still known."""

    command_id: str = named("id")
    argv: List[str] = field(default_factory=list)
    state: str = ""
    """``running`` or ``exited``."""
    pid: int = 0
    """As it is seen inside the sandbox."""
    cwd: Optional[str] = None
    user: Optional[str] = None
    pty: bool = False
    started_at: Optional[datetime] = None
    exit: Optional[Exit] = None

    @property
    def exit_code(self) -> Optional[int]:
        """As in a :class:`CommandResult`; nothing while it runs."""
        return self.exit.exit_code if self.exit else None


@dataclass(frozen=True)
class Output:
    """A piece of what a command printed. Of a terminal all is ``stdout``."""

    stream: str
    """``stdout`` or ``stderr``."""
    text: str
    """As text; what is no UTF-8 is replaced."""
    data: bytes
    """As it came."""


@dataclass(frozen=True)
class EntryInfo:
    """A file, a directory or what else has a name in a sandbox."""

    name: str
    path: str
    """As it was asked for; in a list relative to the directory."""
    kind: str
    """``file``, ``directory``, ``link``, ``fifo``, ``socket`` or ``device``."""
    mode: str = ""
    """Permission bits in octal."""
    uid: int = 0
    gid: int = 0
    size: int = 0
    modified_at: Optional[datetime] = None
    owner: Optional[str] = None
    group: Optional[str] = None
    target: Optional[str] = None
    """Where a link points."""


@dataclass(frozen=True)
class WatchEvent:
    """Something that happened in a directory."""

    event: str
    """``create``, ``write``, ``remove``, ``rename_from``, ``rename_to``, ``attributes``, or ``overflow`` when some were lost."""
    path: str = ""
    """Relative to the directory that is watched."""
    directory: bool = False


@dataclass(frozen=True)
class Unpacked:
    """What was copied with a directory."""

    entries: int
    bytes: int
    left_out: List[str] = field(default_factory=list)
    """What was not written here: devices and links that lead out of the directory."""


@dataclass(frozen=True)
class ServiceInfo:
    """A command that the sandbox supervises."""

    name: str
    state: str = ""
    """``inactive``, ``starting``, ``running``, ``exited``, ``stopping``, ``waiting`` or ``failed``."""
    pid: Optional[int] = None
    since: Optional[datetime] = None
    restarts: int = 0
    last_exit: Optional[int] = None
    reason: Optional[str] = None
    enabled: bool = False
    port: Optional[int] = None
    health: Optional[str] = None
    command: Optional[str] = None
    user: Optional[str] = None
    cwd: Optional[str] = None
    restart: str = ""
    unit: Optional[str] = None
    description: Optional[str] = None


@dataclass(frozen=True)
class RouteInfo:
    """An entry for HTTP requests from outside to a port of a sandbox."""

    sandbox_id: str = named("sandbox")
    name: str = ""
    port: int = 0
    access: str = ""
    """``private`` or ``public``."""
    url: str = ""
    """Where it is, by path."""
    host_url: str = ""
    """Where it is, by host name."""
    auth: Optional[str] = None
    header: Optional[str] = None
    methods: List[str] = field(default_factory=list)
    path_prefix: str = ""
    rewrite: Optional[str] = None
    timeout: int = 0
    resume: bool = False
    websocket: bool = False
    forwarded: bool = False
    created_at: Optional[datetime] = None
    secret: Optional[str] = field(default=None, repr=False)
    """What lets in; told once, to who made the route."""
    warnings: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class RouteLink:
    """A URL that lets in whoever has it, until it expires."""

    url: str
    host_url: str
    expires_at: datetime


@dataclass(frozen=True)
class NetworkAttempt:
    """Something that a sandbox tried to reach."""

    attempt_id: int = named("id")
    at: Optional[datetime] = None
    verdict: str = ""
    """``allow`` or ``deny``."""
    why: str = ""
    name: Optional[str] = None
    address: Optional[str] = None
    port: Optional[int] = None
    protocol: Optional[str] = None
    method: Optional[str] = None
    path: Optional[str] = None
    tool: Optional[str] = None
    status: Optional[int] = None
    allow: Optional[str] = None
    """What to give to ``network.allow`` so that it is let through."""
    sent: int = 0
    received: int = 0
    duration_ms: int = 0


@dataclass(frozen=True)
class VolumeUser:
    """A sandbox that has a volume."""

    sandbox_id: str
    sandbox_name: str
    path: str
    mode: str


@dataclass(frozen=True)
class VolumeInfo:
    """A directory that outlives sandboxes, as it was when the daemon was asked."""

    volume_id: str = named("id")
    name: str = ""
    kind: str = ""
    """``volume``, or ``snapshot`` for one that never changes."""
    size_mb: int = 0
    used_bytes: Optional[int] = None
    source: Optional[str] = None
    metadata: Dict[str, str] = field(default_factory=dict, metadata={"name": "labels"})
    created_at: Optional[datetime] = None
    used_by: List[VolumeUser] = field(default_factory=list)


@dataclass(frozen=True)
class RaceBranch:
    """One of the copies in a race, and how it fared."""

    branch: int
    sandbox_id: str
    name: str
    outcome: str
    """``succeeded``, ``failed``, or ``beaten`` when another had won before."""
    exit_code: Optional[int] = None
    score: Optional[float] = None
    stdout: str = ""
    stderr: str = ""
    """What it printed; or what kept it from trying."""
    ms: int = 0
    kept: bool = False


@dataclass(frozen=True)
class FileChange:
    """A file that differs between two states."""

    change: str
    """``added``, ``changed`` or ``removed``."""
    path: str
    fields: List[str] = field(default_factory=list)
    text: Optional[str] = None
    """As ``diff -u`` prints it, where that was asked for."""


@dataclass(frozen=True)
class PackageChange:
    """A package that differs between two states."""

    manager: str
    name: str
    before: Optional[str] = None
    after: Optional[str] = None


@dataclass(frozen=True)
class ProcessChange:
    """A process that differs between two states."""

    change: str
    pid: int
    parent: int
    uid: int
    command: str


@dataclass(frozen=True)
class Diff:
    """What has to be done to one state to get another."""

    added: int
    changed: int
    removed: int
    files: List[FileChange] = field(default_factory=list)
    packages: List[PackageChange] = field(default_factory=list)
    processes: List[ProcessChange] = field(default_factory=list)
    truncated: bool = False
    """Whether more differs than is told."""


@dataclass(frozen=True)
class HistoryStep:
    """A step on the way from the image to a sandbox as it is now."""

    what: str
    """``began`` or ``taken``."""
    sandbox_name: str = ""
    sandbox_id: Optional[str] = None
    at: Optional[datetime] = None
    snapshot: Optional[Snapshot] = None


@dataclass(frozen=True)
class Sample:
    """What a sandbox used at a moment."""

    at: datetime
    cpus: float
    cpu_ms: int
    memory_bytes: int
    disk_bytes: Optional[int] = None
    processes: Optional[int] = None


@dataclass(frozen=True)
class StatsLimits:
    """What a sandbox may use at most."""

    memory_bytes: int
    cpus: float
    disk_bytes: int
    processes: int


@dataclass(frozen=True)
class SandboxStats:
    """What a sandbox uses, what it may use, and what it used in the last minutes."""

    sandbox_id: str = named("id")
    name: str = ""
    state: str = ""
    now: Optional[Sample] = None
    limits: Optional[StatsLimits] = None
    oom_kills: int = 0
    interval_ms: int = 0
    history: List[Sample] = field(default_factory=list)


def plain(value: Any) -> Dict[str, Any]:
    """A record that is sent: its fields that say something."""
    return {name: each for name, each in vars(value).items() if each is not None}
