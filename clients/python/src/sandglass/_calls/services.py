"""Services of sandboxes."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional

from ..models import ServiceInfo
from .call import Call, all_of, given, nothing, of, path


def create(sandbox: str, body: Mapping[str, Any]) -> Call[ServiceInfo]:
    return Call("POST", path("sandboxes", sandbox, "services"), of(ServiceInfo), body=body)


def listing(sandbox: str) -> Call[List[ServiceInfo]]:
    return Call("GET", path("sandboxes", sandbox, "services"), all_of(ServiceInfo, "services"))


def get(sandbox: str, service: str) -> Call[ServiceInfo]:
    return Call("GET", path("sandboxes", sandbox, "services", service), of(ServiceInfo))


def act(sandbox: str, service: str, verb: str) -> Call[ServiceInfo]:
    """``start``, ``stop`` or ``restart``."""
    return Call("POST", path("sandboxes", sandbox, "services", service, verb), of(ServiceInfo))


def remove(sandbox: str, service: str) -> Call[None]:
    return Call("DELETE", path("sandboxes", sandbox, "services", service), nothing)


def logs(sandbox: str, service: str, lines: Optional[int]) -> Call[None]:
    where = path("sandboxes", sandbox, "services", service, "logs")
    return Call("GET", where, nothing, given(lines=lines), accept="application/x-ndjson")
