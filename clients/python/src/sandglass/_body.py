"""What is sent with a request, a piece at a time: it need never be in memory as a whole."""

from __future__ import annotations

import os
from typing import BinaryIO, Callable, Iterator, Optional, Union

PIECE = 1 << 18

Progress = Callable[[int, Optional[int]], object]
"""Told how many bytes went over, and of how many, where that is known."""

LocalPath = Union[str, "os.PathLike[str]"]
"""A file or directory of this machine."""

Content = Union[str, bytes, bytearray, memoryview, BinaryIO]
"""A text, which becomes UTF-8, bytes, or an open file that is read from where it is."""


class Body:
    """Bytes to be sent. Reading them may read a file, and so may block."""

    def __init__(self, pieces: Iterator[bytes], length: Optional[int] = None, total: Optional[int] = None) -> None:
        self._pieces = pieces
        self.length = length
        """How many there are; nothing if that is seen only at the end."""
        self.total = length if total is None else total
        """About how many there are, for those who watch."""
        self.progress: Optional[Progress] = None
        """Told of each piece that was sent."""

    @staticmethod
    def of_bytes(content: bytes) -> Body:
        """Of bytes that are there."""
        return Body(_slices(content), len(content))

    @staticmethod
    def of(content: Content, progress: Optional[Progress] = None) -> Body:
        """Of whatever somebody gave."""
        if isinstance(content, str):
            body = Body.of_bytes(content.encode())
        elif isinstance(content, (bytes, bytearray, memoryview)):
            body = Body.of_bytes(bytes(content))
        elif hasattr(content, "read"):
            body = Body(_read(content), _left(content))
        else:
            raise TypeError(f"data: {type(content).__name__} (expected: str, bytes or an open file)")
        body.progress = progress
        return body

    def next(self) -> bytes:
        """The next piece; nothing at the end."""
        return next(self._pieces, b"")


def opened(path: LocalPath) -> BinaryIO:
    """A file of this machine, to be read."""
    return open(path, "rb")


def _slices(content: bytes) -> Iterator[bytes]:
    view = memoryview(content)
    for begin in range(0, len(view), PIECE):
        yield bytes(view[begin : begin + PIECE])


def _read(file: BinaryIO) -> Iterator[bytes]:
    while True:
        piece = file.read(PIECE)
        if not piece:
            return
        if not isinstance(piece, bytes):
            raise TypeError("the file was opened as text (expected: mode 'rb')")
        yield piece


def _left(file: BinaryIO) -> Optional[int]:
    """How much of a file is still to be read, where that is known."""
    try:
        end = os.fstat(file.fileno()).st_size
        return end - file.tell() if end > 0 and file.seekable() else None
    except (AttributeError, OSError, ValueError):
        return None
