"""Which daemon to talk to: by arguments, then by the environment, then that of this machine."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import Mapping, Optional
from urllib.parse import urlsplit

from .errors import error_of, invalid

_STANDARD_DATA = "/var/lib/sandglass"
_STANDARD_RUN = "/run/sandglass"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Target:
    """A daemon: a unix socket, or a host and port, and the token that it wants. An empty token is none."""

    socket: str = ""
    host: str = ""
    port: int = 0
    tls: bool = False
    token: str = field(default="", repr=False)

    @property
    def authority(self) -> str:
        """What the header ``Host`` says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return "localhost" if self.socket else f"{host}:{self.port}"

    def __str__(self) -> str:
        return self.socket or ("https://" if self.tls else "http://") + self.authority

    @staticmethod
    def find(url: Optional[str], api_key: Optional[str], environment: Mapping[str, str]) -> Target:
        """By arguments, then ``SANDGLASS_URL`` and ``SANDGLASS_API_KEY``, then the local socket and token file."""
        data = os.path.abspath(environment.get("SANDGLASS_DATA_DIR") or _STANDARD_DATA)
        address = url or environment.get("SANDGLASS_URL") or "unix://" + _run_directory(data, environment) + "/sandglass.sock"
        target = _parse(address)
        key = api_key or environment.get("SANDGLASS_API_KEY")
        if not key and environment.get("SANDGLASS_TOKEN_FILE"):
            key = _read(environment["SANDGLASS_TOKEN_FILE"], required=True)
        if not key and (target.socket or target.host in _LOOPBACK):  # the token of this machine is nobody else's business
            key = _read(os.path.join(data, "token"), required=False)
        if key and not all("!" <= letter <= "~" for letter in key):
            raise invalid("api_key: it has characters that no token has", "Check the argument or SANDGLASS_API_KEY.")
        return Target(target.socket, target.host, target.port, target.tls, key or "")


def _run_directory(data: str, environment: Mapping[str, str]) -> str:
    """As the daemon reckons it: one directory for each data directory."""
    if environment.get("SANDGLASS_RUN_DIR"):
        return os.path.abspath(environment["SANDGLASS_RUN_DIR"])
    return _STANDARD_RUN if data == _STANDARD_DATA else _STANDARD_RUN + "-" + hashlib.sha256(data.encode()).hexdigest()[:8]


def _parse(url: str) -> Target:
    problem = invalid(
        f"url: {url} (expected: http://HOST:PORT, https://HOST:PORT or unix:///PATH)", "Check the argument or SANDGLASS_URL."
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise problem from None
    if parts.scheme == "unix" and parts.path.startswith("/") and not parts.netloc:
        return Target(socket=parts.path)
    if parts.scheme in _PORTS and parts.hostname and parts.path in ("", "/") and "@" not in parts.netloc:
        return Target(host=parts.hostname, port=port or _PORTS[parts.scheme], tls=parts.scheme == "https")
    raise problem


def _read(path: str, required: bool) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read(4096).strip()
    except FileNotFoundError:
        if not required:
            return ""
        why = "there is no such file"
    except OSError as problem:
        why = problem.strerror or str(problem)
    raise error_of(
        "unauthorized",
        f"The token file {path} cannot be read: {why}",
        "Run as the user who owns it (root), or set SANDGLASS_API_KEY.",
    )
