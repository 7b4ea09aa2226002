"""Files of sandboxes and of volumes, which are asked for alike."""

from __future__ import annotations

from typing import Any, List, Optional

from ..errors import InvalidRequestError
from ..models import EntryInfo, Unpacked
from .call import LONG, Call, all_of, given, nothing, of, path

BYTES = "application/octet-stream"
TAR = "application/x-tar"

SANDBOXES = "sandboxes"
VOLUMES = "volumes"


def read(whose: str, name: str, where: str, user: Optional[str]) -> Call[None]:
    return Call("GET", path(whose, name, "files"), nothing, given(path=where, user=user), accept=BYTES)


def write(whose: str, name: str, where: str, user: Optional[str], mode: Optional[str]) -> Call[EntryInfo]:
    return Call("PUT", path(whose, name, "files"), of(EntryInfo), given(path=where, user=user, mode=mode), content_type=BYTES)


def stat(whose: str, name: str, where: str, user: Optional[str], follow: bool) -> Call[EntryInfo]:
    return Call("GET", path(whose, name, "files", "stat"), of(EntryInfo), given(path=where, user=user, follow=follow))


def listing(sandbox: str, where: str, user: Optional[str], depth: int) -> Call[List[EntryInfo]]:
    query = given(path=where, user=user, depth=depth)

    def entries(answer: Any) -> List[EntryInfo]:
        if answer["truncated"]:
            raise InvalidRequestError("too_large", f"{where} has more entries than one answer holds", "List its directories one by one.")
        return all_of(EntryInfo, "entries")(answer)

    return Call("GET", path(SANDBOXES, sandbox, "files", "list"), entries, query)


def remove(sandbox: str, where: str, user: Optional[str], recursive: bool) -> Call[None]:
    query = given(path=where, user=user, recursive=recursive)
    return Call("DELETE", path(SANDBOXES, sandbox, "files"), nothing, query, patience=LONG)


def move(sandbox: str, where: str, to: str, user: Optional[str]) -> Call[EntryInfo]:
    return Call("POST", path(SANDBOXES, sandbox, "files", "move"), of(EntryInfo), given(path=where, to=to, user=user))


def make_directory(sandbox: str, where: str, user: Optional[str], mode: Optional[str]) -> Call[EntryInfo]:
    query = given(path=where, user=user, mode=mode)
    return Call("PUT", path(SANDBOXES, sandbox, "files", "directory"), of(EntryInfo), query)


def watch(sandbox: str, where: str, user: Optional[str], recursive: bool) -> Call[None]:
    query = given(path=where, user=user, recursive=recursive)
    return Call("GET", path(SANDBOXES, sandbox, "files", "watch"), nothing, query, accept="application/x-ndjson", patience=float("inf"))


def read_archive(whose: str, name: str, where: str, user: Optional[str]) -> Call[None]:
    """What is in a directory, with names relative to it."""
    query = given(path=where, user=user, content=True)
    return Call("GET", path(whose, name, "archive"), nothing, query, accept=TAR, patience=LONG)


def write_archive(whose: str, name: str, where: str, user: Optional[str]) -> Call[Unpacked]:
    query = given(path=where, user=user)
    return Call("PUT", path(whose, name, "archive"), of(Unpacked), query, content_type=TAR, patience=LONG)
