"""What an answer that is none of the expected, or the lack of one, means for the caller."""

from __future__ import annotations

import json
import os
import socket
from typing import Mapping, Optional

from ._target import Target
from .errors import DaemonUnreachableError, SandglassError, error_of

MOST = 1 << 20


def problem_of(status: int, headers: Mapping[str, str], body: bytes) -> SandglassError:
    """The error that an answer tells."""
    try:
        told = json.loads(body)
        code, message, hint = str(told["code"]), str(told["message"]), str(told["hint"])
    except (ValueError, KeyError, TypeError):
        return SandglassError(
            "internal",
            f"The server answered {status} without saying why",
            "Check that the address is that of a Sandglass daemon; its log may tell more.",
        )
    return error_of(code, message, hint, _seconds(headers.get("retry-after", "")))


def unreachable(target: Target, problem: BaseException) -> SandglassError:
    """What it means that a connection could not be made, or broke."""
    if isinstance(problem, (socket.timeout, TimeoutError)):
        return _unreachable(f"The daemon at {target} is silent", "See its log, or restart it with `sandglass down` and `sandglass up`.")
    if isinstance(problem, PermissionError):
        return _unreachable(f"The socket {target} may not be used by this user", "Run as root (sudo), or set SANDGLASS_URL.")
    refused = isinstance(problem, (ConnectionRefusedError, FileNotFoundError, socket.gaierror))
    gone = bool(target.socket) and not os.path.exists(target.socket)
    what = f"The daemon does not answer at {target}" if refused or gone else f"The connection to the daemon at {target} broke"
    return _unreachable(f"{what}: {problem}", "Start it with `sandglass up`, or check SANDGLASS_URL.")


def _unreachable(message: str, hint: str) -> DaemonUnreachableError:
    return DaemonUnreachableError("daemon_unreachable", message, hint)


def _seconds(text: str) -> Optional[float]:
    return float(text) if text.isascii() and text.isdigit() else None
