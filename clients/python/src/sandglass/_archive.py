"""Directories as tar archives: packed a piece at a time, and unpacked into a directory and nowhere else."""

from __future__ import annotations

import itertools
import os
import shutil
import stat
import tarfile
import tempfile
from typing import BinaryIO, Dict, Iterator, List, Tuple

from ._body import PIECE, Body
from .errors import SandglassError, error_of
from .models import Unpacked

_MOST_ENTRIES = 1_000_000
_MOST_EXTENSION = 1 << 20
_KEEP_FREE = 64 << 20
_END = b"\0" * (2 * tarfile.BLOCKSIZE)


def pack(root: str) -> Body:
    """What is in a directory, with names relative to it. Links stay links; what is no file, directory or link is left out."""
    if not os.path.isdir(root):
        raise error_of("path_not_found", f"There is no directory {root} here.", "Name a directory of this machine.")
    total = sum(found.st_size for _, _, found in _walk(root, "") if stat.S_ISREG(found.st_mode))
    return Body(_packed(root), total=total)


def _walk(directory: str, prefix: str) -> Iterator[Tuple[str, str, os.stat_result]]:
    with os.scandir(directory) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        name = prefix + entry.name
        facts = entry.stat(follow_symlinks=False)
        yield entry.path, name, facts
        if stat.S_ISDIR(facts.st_mode):
            yield from _walk(entry.path, name + "/")


def _packed(root: str) -> Iterator[bytes]:
    for path, name, facts in _walk(root, ""):
        info = tarfile.TarInfo(name)
        info.mode = stat.S_IMODE(facts.st_mode)
        info.mtime = int(facts.st_mtime)
        if stat.S_ISDIR(facts.st_mode):
            info.type = tarfile.DIRTYPE
        elif stat.S_ISLNK(facts.st_mode):
            info.type, info.linkname = tarfile.SYMTYPE, os.readlink(path)
        elif not stat.S_ISREG(facts.st_mode):
            continue
        if not info.isreg():
            yield _head(info)
            continue
        with open(path, "rb") as file:
            info.size = os.fstat(file.fileno()).st_size
            yield _head(info)
            yield from _content(file, path, info.size)
    yield _END


def _head(info: tarfile.TarInfo) -> bytes:
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def _content(file: BinaryIO, path: str, size: int) -> Iterator[bytes]:
    left = size
    while left:
        piece = file.read(min(PIECE, left))
        if not piece:
            raise error_of("conflict", f"{path} became shorter while it was copied", "Copy it when nobody writes to it.")
        left -= len(piece)
        yield piece
    if size % tarfile.BLOCKSIZE:
        yield b"\0" * (-size % tarfile.BLOCKSIZE)


class _BoundedInfo(tarfile.TarInfo):
    """An entry whose name and attributes are no longer than names and attributes are."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size < 0:
            raise tarfile.ReadError(f"a size of {self.size}")
        extension = not self.isreg() and self.type not in (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE)
        if extension and self.size > _MOST_EXTENSION:
            raise tarfile.ReadError(f"an extension of {self.size} bytes")
        return super()._proc_member(archive)  # type: ignore[misc, no-any-return]


def unpack(file: BinaryIO, root: str) -> Unpacked:
    """Unpacks an archive from a sandbox, which may say anything. Links that lead out of the directory, and devices, are left out."""
    try:
        with tarfile.open(fileobj=file, mode="r:", tarinfo=_BoundedInfo, errors="surrogateescape", encoding="utf-8") as archive:
            return _Unpacking(os.path.abspath(root)).unpack(archive)
    except (tarfile.TarError, EOFError, ValueError, OverflowError, RecursionError) as problem:
        raise _refused("the archive", str(problem)) from None


class _Unpacking:
    """Writes below a directory. What the archive names is looked at component by component, and no link is followed."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._directories: Dict[str, Tuple[int, float]] = {}
        self._known = {root}
        self._links: List[Tuple[str, str, Tuple[str, ...]]] = []
        self._left_out: List[str] = []
        self._bytes = 0
        os.makedirs(root, exist_ok=True)
        self._room = shutil.disk_usage(root).free - _KEEP_FREE

    def unpack(self, archive: tarfile.TarFile) -> Unpacked:
        entries = 0
        member = archive.next()
        while member is not None:
            archive.members = []  # type: ignore[attr-defined]  # they are not needed again
            entries += 1
            if entries > _MOST_ENTRIES:
                raise _refused(member.name, f"more than {_MOST_ENTRIES} entries")
            self._add(archive, member)
            member = archive.next()
        for path, target, parts in self._links:  # now that nothing is written any more that they could lead elsewhere
            self._link(path, target, parts)
        for path in sorted(self._directories, key=len, reverse=True):
            self._finish(path, *self._directories[path])
        return Unpacked(entries, self._bytes, self._left_out)

    def _add(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        parts = _parts(member.name)
        if not parts:
            return
        if member.isdir():
            self._directories[self._directory(parts)] = (member.mode, member.mtime)
            return
        path = os.path.join(self._directory(parts[:-1]), parts[-1])
        if member.isreg():
            self._file(archive, member, path)
        elif member.issym():
            self._links.append((path, member.linkname, parts))
        elif member.islnk():
            self._hard_link(path, _parts(member.linkname), member.name)
        else:
            self._left_out.append(member.name)

    def _directory(self, parts: Tuple[str, ...]) -> str:
        path = self._root
        for part in parts:
            path = os.path.join(path, part)
            if path in self._known:
                continue
            if not os.path.lexists(path):
                os.mkdir(path, 0o700)
                self._directories[path] = (0o755, 0.0)
            elif os.path.islink(path) or not os.path.isdir(path):
                raise _in_the_way(path, "it is no directory, and links are not followed")
            self._known.add(path)
        return path

    def _file(self, archive: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> None:
        if member.size > self._room:
            raise error_of("disk_full", f"There is no room for {path} ({member.size} bytes)", "Free some space, or copy to another place.")
        self._room -= member.size
        self._require_no_directory(path)
        source = archive.extractfile(member)
        if source is None:
            raise _refused(member.name, "it has no content")
        draft, name = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".sandglass-")
        try:
            with open(draft, "wb") as file:
                shutil.copyfileobj(source, file, PIECE)
            if os.stat(name).st_size != member.size:
                raise _refused(member.name, "it ends before its size")
            self._finish(name, member.mode, member.mtime)
            os.replace(name, path)  # a file of before is there, whole, until this one is
        except BaseException:
            os.unlink(name)
            raise
        self._bytes += member.size

    def _hard_link(self, path: str, target: Tuple[str, ...], name: str) -> None:
        source = os.path.join(self._directory(target[:-1]), *target[-1:])
        if source == path or os.path.islink(source) or not os.path.isfile(source):
            self._left_out.append(name)
            return
        self._make_way(path)
        os.link(source, path)

    def _link(self, path: str, target: str, parts: Tuple[str, ...]) -> None:
        if _stays_inside(target, len(parts) - 1):
            self._make_way(path)
            os.symlink(target, path)
        else:
            self._left_out.append("/".join(parts))

    def _make_way(self, path: str) -> None:
        self._require_no_directory(path)
        if os.path.lexists(path):
            os.unlink(path)

    @staticmethod
    def _require_no_directory(path: str) -> None:
        if os.path.isdir(path) and not os.path.islink(path):
            raise _in_the_way(path, "it is a directory")

    @staticmethod
    def _finish(path: str, mode: int, modified: float) -> None:
        os.chmod(path, mode & 0o777)
        try:
            os.utime(path, (modified, modified))
        except (OSError, OverflowError, ValueError):
            pass  # a time that this machine does not have


def _parts(name: str) -> Tuple[str, ...]:
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if name.startswith("/") or ".." in parts or "\0" in name or any(os.sep != "/" and os.sep in part for part in parts):
        raise _refused(name, "it leads out of the directory")
    return parts


def _stays_inside(target: str, depth: int) -> bool:
    """Whether a link in a directory so deep leads nowhere else. Up it may lead only at first: behind a link ``..`` is elsewhere."""
    parts = [part for part in target.split("/") if part not in ("", ".")]
    up = len(list(itertools.takewhile(lambda part: part == "..", parts)))
    return bool(target) and not target.startswith("/") and up <= depth and ".." not in parts[up:]


def _refused(name: str, why: str) -> SandglassError:
    return error_of("archive_refused", f"{name!r} was refused: {why}", "Look at what the sandbox has there.")


def _in_the_way(path: str, why: str) -> SandglassError:
    return error_of("path_exists", f"{path} is in the way: {why}", "Remove it, or copy to another place.")
