"""HTTP/1.1 as bytes: what a request looks like, and how an answer is read from whatever pieces it comes in. No input or output."""

from __future__ import annotations

import re
from typing import Dict, Iterable, Optional, Tuple

MAX_HEAD = 1 << 16
_MAX_CHUNK_HEAD = 1 << 10
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])(?: .*)?$", re.DOTALL)
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
_DIGITS = re.compile(r"[0-9]{1,18}$")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?$", re.DOTALL)


class MalformedAnswer(Exception):
    """What came is no HTTP/1.1 answer."""


class ConnectionBroke(Exception):
    """The connection ended before the answer did."""


def head(method: str, target: str, headers: Iterable[Tuple[str, str]]) -> bytes:
    """The head of a request. Nothing in it can begin another line."""
    lines = [f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in headers]
    if any("\r" in line or "\n" in line or "\0" in line for line in lines):
        raise ValueError("a line break in the head of a request")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Incoming:
    """One answer as it comes in: :meth:`feed` takes the bytes of the connection, :meth:`take` gives those of the body."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: Dict[str, str] = {}
        self.complete = False
        self._raw = bytearray()
        self._body = bytearray()
        self._left: Optional[int] = None  # of the body, or of the chunk; nothing where the end of the connection is the end
        self._chunked = False
        self._between = False  # at the head of a chunk
        self._trailing = False

    @property
    def begun(self) -> bool:
        """Whether its head is there."""
        return self.status != 0

    @property
    def reusable(self) -> bool:
        """Whether the connection can carry another request."""
        said = self.headers.get("connection", "").lower()
        return self.complete and not self._raw and "close" not in said and (self._chunked or self._left is not None)

    def feed(self, data: bytes) -> None:
        """Takes what came; nothing is the end of the connection."""
        if self.complete:
            raise MalformedAnswer("more than one answer")
        if not data:
            if not self.begun or self._chunked or self._left is not None:
                raise ConnectionBroke("the connection ended before the answer did")
            self.complete = True
            return
        self._raw += data
        if self.begun or self._read_head():
            self._read_body()

    def take(self) -> bytes:
        """What has come of the body since the last call."""
        body = bytes(self._body)
        self._body.clear()
        return body

    def _read_head(self) -> bool:
        while True:
            end = self._raw.find(b"\r\n\r\n")
            if (end if end >= 0 else len(self._raw)) > MAX_HEAD:
                raise MalformedAnswer(f"a head of more than {MAX_HEAD} bytes")
            if end < 0:
                return False
            lines = bytes(self._raw[:end]).split(b"\r\n")
            del self._raw[: end + 4]
            first = _STATUS.match(lines[0])
            if not first:
                raise MalformedAnswer("the first line is that of no HTTP/1.1 answer")
            status = int(first.group(1))
            if status >= 200:
                self.headers = _headers(lines[1:])
                self.status = status
                self._begin_body()
                return True
            if status == 101:
                raise MalformedAnswer("the protocol was changed")

    def _begin_body(self) -> None:
        length = self.headers.get("content-length")
        coding = self.headers.get("transfer-encoding")
        if coding is not None:
            if length is not None or coding.lower() != "chunked":
                raise MalformedAnswer("the length of the body is told in two ways, or in an unknown one")
            self._chunked = self._between = True
        elif self.status in (204, 304):
            self._left = 0
        elif length is not None:
            if not _DIGITS.match(length):
                raise MalformedAnswer("Content-Length is no number")
            self._left = int(length)

    def _read_body(self) -> None:
        while not self.complete:
            if self._chunked and self._between:
                if not self._read_chunk_head():
                    return
            elif self._left is None:
                self._body += self._raw
                self._raw.clear()
                return
            else:
                piece = self._raw[: self._left]
                self._body += piece
                del self._raw[: len(piece)]
                self._left -= len(piece)
                if self._left:
                    return
                if self._chunked:
                    if len(self._raw) < 2:
                        return
                    if self._raw[:2] != b"\r\n":
                        raise MalformedAnswer("a chunk has another length than it says")
                    del self._raw[:2]
                    self._between = True
                else:
                    self.complete = True

    def _read_chunk_head(self) -> bool:
        end = self._raw.find(b"\r\n")
        if (end if end >= 0 else len(self._raw)) > _MAX_CHUNK_HEAD:
            raise MalformedAnswer("the head of a chunk has no end")
        if end < 0:
            return False
        line = bytes(self._raw[:end])
        del self._raw[: end + 2]
        if self._trailing:
            self.complete = not line  # what trailers say is not used
            return True
        size = _CHUNK.match(line)
        if not size:
            raise MalformedAnswer("the head of a chunk is no number")
        self._left = int(size.group(1), 16)
        self._trailing = self._left == 0
        self._between = self._trailing
        return True


def _headers(lines: Iterable[bytes]) -> Dict[str, str]:
    headers: Dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not _NAME.match(name):
            raise MalformedAnswer("a header is malformed")
        key = name.decode("ascii").lower()
        text = value.strip(b" \t").decode("latin-1")
        if key in ("content-length", "transfer-encoding") and headers.get(key, text) != text:
            raise MalformedAnswer(f"{key} is said twice")
        headers[key] = text
    return headers
