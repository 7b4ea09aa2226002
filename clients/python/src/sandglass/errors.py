"""What can go wrong. Every error has a stable ``code``, a ``message`` that says what happened and a ``hint`` what to do."""

from __future__ import annotations

from typing import Any, Dict, Optional, Type

__all__ = [
    "AccessDeniedError",
    "CommandFailedError",
    "CommandNotFoundError",
    "ConflictError",
    "DaemonUnreachableError",
    "InvalidRequestError",
    "LimitReachedError",
    "NameTakenError",
    "NotFoundError",
    "OutOfSpaceError",
    "PathNotFoundError",
    "SandboxNotFoundError",
    "SandboxNotRunningError",
    "SandglassError",
    "SnapshotBlockedError",
    "SnapshotNotFoundError",
    "WaitTimeoutError",
]


class SandglassError(Exception):
    """The root of all errors of this package. Its class follows from its ``code``; what has no class of its own is this one."""

    def __init__(self, code: str, message: str, hint: str = "", retry_after: Optional[float] = None) -> None:
        super().__init__(code, message, hint, retry_after)
        self.code = code
        """A stable word for what went wrong, such as ``sandbox_not_found``."""
        self.message = message
        """What happened, and why."""
        self.hint = hint
        """What to do about it."""
        self.retry_after = retry_after
        """Seconds after which the same may work, if the daemon said so."""

    def __str__(self) -> str:
        return f"{self.message} (hint: {self.hint})" if self.hint else self.message


class InvalidRequestError(SandglassError):
    """What was asked for is not understood, or exceeds what can be asked for."""


class AccessDeniedError(SandglassError):
    """The daemon does not let this caller in, or not from there."""


class NotFoundError(SandglassError):
    """What is named is not there."""


class SandboxNotFoundError(NotFoundError):
    """There is no sandbox of that name or id (any more)."""


class SnapshotNotFoundError(NotFoundError):
    """There is no snapshot of that name or id (any more)."""


class CommandNotFoundError(NotFoundError):
    """There is no command with that id, or it ended long ago."""


class PathNotFoundError(NotFoundError):
    """There is no file of that name in the sandbox."""


class ConflictError(SandglassError):
    """What was asked for contradicts how things are now."""


class NameTakenError(ConflictError):
    """Something has that name already."""


class SandboxNotRunningError(ConflictError):
    """The sandbox is stopped or paused, and its use does not wake it."""


class SnapshotBlockedError(ConflictError):
    """A process holds something that cannot be captured with its memory; the message names both."""


class LimitReachedError(SandglassError):
    """More than a limit allows. Where it passes by itself, ``retry_after`` tells when to try again."""


class OutOfSpaceError(SandglassError):
    """There is no room: on a disk, or among what snapshots may take."""


class DaemonUnreachableError(SandglassError):
    """No daemon answers there, or the connection to it broke."""


class WaitTimeoutError(SandglassError, TimeoutError):
    """What was waited for did not happen in the time that was given. It goes on."""


class CommandFailedError(SandglassError):
    """A command that was run with ``check`` ended with another code than 0."""

    def __init__(self, message: str, hint: str, result: Any) -> None:
        super().__init__("command_failed", message, hint)
        self.args = (message, hint, result)
        self.result = result
        """The :class:`~sandglass.CommandResult`, with what it printed."""


_BY_CODE: Dict[str, Type[SandglassError]] = {
    "invalid_request": InvalidRequestError,
    "malformed_request": InvalidRequestError,
    "method_not_allowed": InvalidRequestError,
    "too_large": InvalidRequestError,
    "unsupported_media_type": InvalidRequestError,
    "unauthorized": AccessDeniedError,
    "forbidden_host": AccessDeniedError,
    "forbidden_origin": AccessDeniedError,
    "sandbox_not_found": SandboxNotFoundError,
    "snapshot_not_found": SnapshotNotFoundError,
    "command_not_found": CommandNotFoundError,
    "path_not_found": PathNotFoundError,
    "name_taken": NameTakenError,
    "sandbox_not_running": SandboxNotRunningError,
    "snapshot_blocked": SnapshotBlockedError,
    "conflict": ConflictError,
    "ambiguous_prefix": ConflictError,
    "path_exists": ConflictError,
    "command_ended": ConflictError,
    "stdin_closed": ConflictError,
    "limit_reached": LimitReachedError,
    "rate_limited": LimitReachedError,
    "disk_full": OutOfSpaceError,
    "snapshot_quota_reached": OutOfSpaceError,
    "daemon_unreachable": DaemonUnreachableError,
    "wait_timeout": WaitTimeoutError,
}



def error_of(
    code: str, message: str, hint: str, retry_after: Optional[float] = None
) -> SandglassError:
    """The error of the class that fits; one that a newer daemon may tell is a :class:`SandglassError`."""
    other = NotFoundError if code.endswith("_not_found") else SandglassError
    return _BY_CODE.get(code, other)(code, message, hint, retry_after)


def invalid(message: str, hint: str) -> InvalidRequestError:
    """What this package refuses before it asks the daemon."""
    return InvalidRequestError("invalid_request", message, hint)
