"""Snapshots."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Tuple

from ..models import Snapshot
from .call import LONG, Call, given, labels, nothing, of, page_of, path

FILE = "application/octet-stream"


def create(sandbox: str, body: Mapping[str, Any]) -> Call[Snapshot]:
    return Call("POST", path("sandboxes", sandbox, "snapshots"), of(Snapshot), body=body, once=True, patience=LONG)


def get(snapshot: str) -> Call[Snapshot]:
    return Call("GET", path("snapshots", snapshot), of(Snapshot))


def page(
    cursor: Optional[str], limit: int, metadata: Optional[Mapping[str, str]], name: Optional[str], everything: bool
) -> Call[Tuple[List[Snapshot], Optional[str]]]:
    query = given(cursor=cursor, limit=limit, label=labels(metadata), name=name, all=everything or None)
    return Call("GET", path("snapshots"), page_of(Snapshot, "snapshots"), query)


def verify(snapshot: str) -> Call[Snapshot]:
    return Call("POST", path("snapshots", snapshot, "verify"), of(Snapshot), patience=LONG)


def delete(snapshot: str) -> Call[None]:
    return Call("DELETE", path("snapshots", snapshot), nothing)


def export(snapshot: str, thin: bool) -> Call[None]:
    return Call("GET", path("snapshots", snapshot, "export"), nothing, {"thin": thin}, accept=FILE, patience=LONG)


def read_in(name: Optional[str]) -> Call[Snapshot]:
    return Call("POST", path("snapshots", "import"), of(Snapshot), given(name=name), content_type=FILE, patience=LONG)
