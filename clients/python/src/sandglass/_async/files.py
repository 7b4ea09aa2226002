"""Files of sandboxes and volumes."""

from __future__ import annotations

import os
import tempfile
from typing import BinaryIO, Callable, List, Literal, Optional, Union, overload

from .. import _archive as archive
from .._body import Body, Content, LocalPath, Progress, opened
from .._calls import files as calls
from .._calls.call import Call
from .._http import MalformedAnswer
from .._reading import record
from ..errors import PathNotFoundError, SandglassError, error_of, invalid
from ..models import EntryInfo, Unpacked, WatchEvent
from .client import AsyncClient
from .concurrency import AsyncBackground, Told, tell, work
from .connection import AsyncAnswer, AsyncValues

_MOST = 1 << 28


class AsyncStoredFiles:
    """What can be done with the files of a sandbox and those of a volume alike."""

    def __init__(self, client: AsyncClient, name: str, whose: str) -> None:
        self._client = client
        self._name = name
        self._whose = whose

    @overload
    async def read(
        self, path: str, *, format: Literal["text"] = "text", user: Optional[str] = None, on_progress: Optional[Progress] = None
    ) -> str: ...

    @overload
    async def read(
        self, path: str, *, format: Literal["bytes"], user: Optional[str] = None, on_progress: Optional[Progress] = None
    ) -> bytes: ...

    @overload
    async def read(
        self, path: str, *, format: Literal["stream"], user: Optional[str] = None, on_progress: Optional[Progress] = None
    ) -> AsyncPieces: ...

    async def read(
        self, path: str, *, format: str = "text", user: Optional[str] = None, on_progress: Optional[Progress] = None
    ) -> Union[str, bytes, AsyncPieces]:
        """What a file has: as text, as ``bytes``, or as a ``stream`` of bytes that is iterated over.

        As text or bytes at most 256 MiB; a stream, or :meth:`download`, has no bound. Relative paths and ``~`` are taken from
        the home of ``user``, with whose rights it is read.
        """
        if format not in ("text", "bytes", "stream"):
            raise invalid(f"format: {format} (expected: text, bytes or stream)", "Choose one of them.")
        pieces = await self._open(calls.read(self._whose, self._name, path, user), on_progress)
        if format == "stream":
            return pieces
        content = await pieces._whole(_MOST)
        if format == "bytes":
            return content
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise invalid(f"{path} is no text in UTF-8", "Read it with format='bytes'.") from None

    async def write(
        self,
        path: str,
        data: Content,
        *,
        mode: Optional[str] = None,
        user: Optional[str] = None,
        on_progress: Optional[Progress] = None,
    ) -> EntryInfo:
        """Writes a text, bytes or an open file into a file, and makes its parents. The file is replaced whole or not at all."""
        try:
            body = Body.of(data, on_progress)
        except (TypeError, UnicodeEncodeError) as problem:
            raise invalid(str(problem), "Give a text, bytes, or a file that was opened with mode 'rb'.") from None
        return await self._client.do(calls.write(self._whose, self._name, path, user, mode), body)

    async def get_info(self, path: str, *, user: Optional[str] = None, follow: bool = False) -> EntryInfo:
        """What is there; of a link itself, unless it is followed."""
        return await self._client.do(calls.stat(self._whose, self._name, path, user, follow))

    async def exists(self, path: str, *, user: Optional[str] = None) -> bool:
        """Whether something has that name; a link that leads nowhere does."""
        try:
            await self.get_info(path, user=user)
            return True
        except PathNotFoundError:
            return False

    async def upload(
        self,
        local_path: LocalPath,
        path: str,
        *,
        mode: Optional[str] = None,
        user: Optional[str] = None,
        on_progress: Optional[Progress] = None,
    ) -> EntryInfo:
        """Copies a file of this machine in, of any size."""
        file = await work(opened, local_path)
        try:
            return await self.write(path, file, mode=mode, user=user, on_progress=on_progress)
        finally:
            file.close()

    async def download(
        self, path: str, local_path: LocalPath, *, user: Optional[str] = None, on_progress: Optional[Progress] = None
    ) -> None:
        """Copies a file out, of any size. A file of this machine that has that name is replaced when all of it is there."""
        pieces = await self._open(calls.read(self._whose, self._name, path, user), on_progress)
        await pieces._into(os.fspath(local_path))

    async def upload_dir(
        self, local_path: LocalPath, path: str, *, user: Optional[str] = None, on_progress: Optional[Progress] = None
    ) -> Unpacked:
        """Copies what is in a directory of this machine into one inside, which is made. Links stay links."""
        body = await work(archive.pack, os.fspath(local_path))
        body.progress = on_progress
        return await self._client.do(calls.write_archive(self._whose, self._name, path, user), body)

    async def download_dir(
        self, path: str, local_path: LocalPath, *, user: Optional[str] = None, on_progress: Optional[Progress] = None
    ) -> Unpacked:
        """Copies what is in a directory inside into one of this machine, which is made.

        Nothing is written before all has arrived. Links that lead out of the directory are left out, and so are devices.
        """
        pieces = await self._open(calls.read_archive(self._whose, self._name, path, user), on_progress)
        root = os.path.abspath(local_path)
        with _spool(root) as file:
            async with pieces:
                await pieces._write_to(file)
            file.seek(0)
            return await work(archive.unpack, file, root)

    async def _open(self, call: Call[None], on_progress: Optional[Progress]) -> AsyncPieces:
        return AsyncPieces(await self._client.stream(call), on_progress)


class AsyncFiles(AsyncStoredFiles):
    """The files of a sandbox: ``sandbox.files``. Everything can be done as a ``user``, with whose rights and home; root if absent."""

    def __init__(self, client: AsyncClient, sandbox_id: str) -> None:
        super().__init__(client, sandbox_id, calls.SANDBOXES)

    async def list(self, path: str, *, depth: int = 1, user: Optional[str] = None) -> List[EntryInfo]:
        """What is in a directory, by name, and so many levels deep; paths are relative to it."""
        return await self._client.do(calls.listing(self._name, path, user, depth))

    async def remove(self, path: str, *, recursive: bool = True, user: Optional[str] = None) -> None:
        """Removes a file, or a directory with all in it."""
        await self._client.do(calls.remove(self._name, path, user, recursive))

    async def rename(self, path: str, new_path: str, *, user: Optional[str] = None) -> EntryInfo:
        """Moves a file or directory."""
        return await self._client.do(calls.move(self._name, path, new_path, user))

    async def make_dir(self, path: str, *, mode: Optional[str] = None, user: Optional[str] = None) -> EntryInfo:
        """Makes a directory with its parents; fine if it is there."""
        return await self._client.do(calls.make_directory(self._name, path, user, mode))

    async def watch_dir(
        self,
        path: str,
        on_event: Optional[Callable[[WatchEvent], Told]] = None,
        *,
        recursive: bool = True,
        user: Optional[str] = None,
    ) -> AsyncWatchHandle:
        """Tells what happens in a directory from now on: to ``on_event``, or to who iterates over what is returned."""
        watch = AsyncWatchHandle(AsyncValues(await self._client.stream(calls.watch(self._name, path, user, recursive))))
        await watch._ready()
        if on_event is not None:
            watch._tell(on_event)
        return watch


class AsyncWatchHandle:
    """A directory that is watched, until :meth:`stop` or the end of an ``async with`` block."""

    def __init__(self, values: AsyncValues) -> None:
        self._values = values
        self._stopped = False
        self._background: Optional[AsyncBackground[None]] = None

    async def __aenter__(self) -> AsyncWatchHandle:
        return self

    async def __aexit__(self, *problem: object) -> None:
        self.stop()

    def __aiter__(self) -> AsyncWatchHandle:
        return self

    async def __anext__(self) -> WatchEvent:
        try:
            value = None if self._stopped else await self._values.next()
        except SandglassError:
            if not self._stopped:
                raise
            value = None
        if value is None:
            raise StopAsyncIteration
        return record(WatchEvent, value)

    def stop(self) -> None:
        """Watches no more; who iterates over it comes to an end."""
        self._stopped = True
        self._values.close()

    async def wait(self, timeout: Optional[float] = None) -> None:
        """Waits until the watch ends, and fails as it, or ``on_event``, has failed."""
        if self._background is not None:
            await self._background.result(timeout)

    async def _ready(self) -> None:
        first = await self.__anext__()
        if first.event != "ready":
            raise MalformedAnswer(f"the first event is {first.event}")

    def _tell(self, on_event: Callable[[WatchEvent], Told]) -> None:
        async def tell_all() -> None:
            try:
                async for event in self:
                    await tell(on_event, event)
            finally:
                self.stop()

        self._background = AsyncBackground(tell_all)


class AsyncPieces:
    """The bytes of a file as they come: iterate over it. Who does not read all of it has to close it, or use ``async with``."""

    def __init__(self, answer: AsyncAnswer, on_progress: Optional[Progress]) -> None:
        self._answer = answer
        self._on_progress = on_progress
        self._done = 0
        self.length = answer.length
        """How many there are, if that is known."""

    async def __aenter__(self) -> AsyncPieces:
        return self

    async def __aexit__(self, *problem: object) -> None:
        self.close()

    def __aiter__(self) -> AsyncPieces:
        return self

    async def __anext__(self) -> bytes:
        piece = await self._answer.piece()
        if not piece:
            raise StopAsyncIteration
        self._done += len(piece)
        if self._on_progress is not None:
            await tell(self._on_progress, self._done, self.length)
        return piece

    def close(self) -> None:
        """Reads no more."""
        self._answer.close()

    async def _whole(self, most: int) -> bytes:
        content = bytearray()
        async with self:
            async for piece in self:
                content += piece
                if len(content) > most:
                    raise error_of("too_large", f"The file has more than {most} bytes", "Read it with format='stream', or download it.")
        return bytes(content)

    async def _write_to(self, file: BinaryIO) -> None:
        async for piece in self:
            await work(file.write, piece)

    async def _into(self, path: str) -> None:
        directory, name = os.path.split(os.path.abspath(path))
        async with self:
            draft, draft_path = tempfile.mkstemp(dir=directory, prefix=f".{name[:100]}-")
            try:
                with open(draft, "wb") as file:
                    await self._write_to(file)
                await work(_finish, draft_path, path)
            except BaseException:
                os.unlink(draft_path)
                raise


def _finish(draft: str, path: str) -> None:
    """Puts a file in its place, with the permissions that a new one gets or those of the one that was there."""
    try:
        mode = os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0o077)
        os.umask(mask)
        mode = 0o666 & ~mask
    os.chmod(draft, mode)
    os.replace(draft, path)


def _spool(root: str) -> BinaryIO:
    """Where an archive waits until all of it is there: beside the directory that it is for, where there is room for that too."""
    parent = os.path.dirname(root)
    return tempfile.TemporaryFile(dir=parent if os.path.isdir(parent) else None)  # type: ignore[return-value]
