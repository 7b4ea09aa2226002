"""Streams of JSON: one value in each line, or server-sent events. No input or output."""

from __future__ import annotations

import json
from typing import Any, List, Tuple

from ._http import MalformedAnswer

_MAX_LINE = 1 << 22


class Lines:
    """Makes lines of the pieces in which they come."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> List[bytes]:
        """The lines that are whole now, without their ends."""
        self._rest += data
        *whole, rest = self._rest.split(b"\n")
        if len(rest) > _MAX_LINE:
            raise MalformedAnswer(f"a line of more than {_MAX_LINE} bytes")
        self._rest = rest
        return [bytes(line) for line in whole]


class Events:
    """Server-sent events: the type of each, and its data."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._type = ""
        self._data: List[str] = []
        self._size = 0

    def feed(self, data: bytes) -> List[Tuple[str, Any]]:
        """The events that are whole now; comments are left out."""
        events: List[Tuple[str, Any]] = []
        for line in self._lines.feed(data):
            name, _, value = line.rstrip(b"\r").decode("utf-8", "replace").partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "event":
                self._type = value
            elif name == "data":
                self._size += len(line)
                if self._size > _MAX_LINE:
                    raise MalformedAnswer(f"an event of more than {_MAX_LINE} bytes")
                self._data.append(value)
            elif not line and self._data:
                events.append((self._type, parse("\n".join(self._data).encode())))
                self._type, self._data, self._size = "", [], 0
        return events


def parse(text: bytes) -> Any:
    """A value of JSON."""
    try:
        return json.loads(text)
    except ValueError:
        raise MalformedAnswer("what came is no JSON") from None
