"""Volumes, and who has them."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Tuple

from ..models import SandboxInfo, VolumeInfo
from .call import Call, given, labels, nothing, of, page_of, path


def create(body: Mapping[str, Any]) -> Call[VolumeInfo]:
    return Call("POST", path("volumes"), of(VolumeInfo), body=body)


def page(cursor: Optional[str], limit: int, metadata: Optional[Mapping[str, str]]) -> Call[Tuple[List[VolumeInfo], Optional[str]]]:
    query = given(cursor=cursor, limit=limit, label=labels(metadata))
    return Call("GET", path("volumes"), page_of(VolumeInfo, "volumes"), query)


def get(volume: str) -> Call[VolumeInfo]:
    return Call("GET", path("volumes", volume), of(VolumeInfo))


def delete(volume: str) -> Call[None]:
    return Call("DELETE", path("volumes", volume), nothing)


def copy(volume: str, verb: str, body: Mapping[str, Any]) -> Call[VolumeInfo]:
    """``snapshot`` or ``fork``."""
    return Call("POST", path("volumes", volume, verb), of(VolumeInfo), body=body)


def attach(sandbox: str, body: Mapping[str, Any]) -> Call[SandboxInfo]:
    return Call("POST", path("sandboxes", sandbox, "volumes"), of(SandboxInfo), body=body)


def detach(sandbox: str, volume: str) -> Call[SandboxInfo]:
    return Call("DELETE", path("sandboxes", sandbox, "volumes", volume), of(SandboxInfo))
