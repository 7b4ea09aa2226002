"""What an operation is: what is sent, and what the answer means."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generic, List, Mapping, Optional, Tuple, Type, TypeVar, Union
from urllib.parse import quote, urlencode

from .._reading import record
from ..errors import invalid

T = TypeVar("T")

Query = Mapping[str, Union[None, bool, int, str, List[str]]]

FOREVER = float("inf")
LONG = 3600.0
"""For what may build something first. A lost connection is noticed sooner."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """One operation. Thread-safe, as nothing of it changes."""

    method: str
    path: str
    read: Callable[[Any], T]
    query: Query = field(default_factory=dict)
    body: Optional[Mapping[str, Any]] = None
    content_type: str = ""
    """Of a body that is streamed; one that is not is JSON."""
    accept: str = "application/json"
    once: bool = False
    """Whether it gets a key, so that sent again it is not done again."""
    patience: Optional[float] = None
    """Seconds of silence until the daemon is taken for dead; those of the client if nothing is said."""

    @property
    def target(self) -> str:
        """The path with the query."""
        pairs: List[Tuple[str, str]] = []
        for name, value in self.query.items():
            if isinstance(value, list):
                pairs += [(name, each) for each in value]
            elif isinstance(value, bool):
                pairs.append((name, "true" if value else "false"))
            elif value is not None:
                pairs.append((name, str(value)))
        try:
            return self.path + ("?" + urlencode(pairs, quote_via=quote, safe="/") if pairs else "")
        except UnicodeEncodeError:
            raise invalid("a name has half of a character (expected: UTF-8)", "Check where the name comes from.") from None

    @property
    def repeatable(self) -> bool:
        """Whether it may be sent again when nobody knows whether it arrived."""
        return self.once or self.method in ("GET", "PUT", "DELETE")


def path(*segments: str) -> str:
    """The path with those parts, whatever is in them."""
    for segment in segments:
        if not isinstance(segment, str) or segment in ("", ".", ".."):
            raise invalid(f"name: {segment!r} (expected: a name or an id)", "Name what is meant.")
    return "/v1/" + "/".join(quote(segment, safe="") for segment in segments)


def given(**values: Any) -> Dict[str, Any]:
    """The fields that somebody gave."""
    return {name: value for name, value in values.items() if value is not None}


def of(kind: Type[T]) -> Callable[[Any], T]:
    """Reads an answer that is one record."""
    return lambda answer: record(kind, answer)


def all_of(kind: Type[T], name: str) -> Callable[[Any], List[T]]:
    """Reads an answer that has a list of records under that name."""
    return lambda answer: [record(kind, each) for each in answer[name]]


def nothing(answer: Any) -> None:
    """Reads an answer that says no more than that it worked."""


def page_of(kind: Type[T], name: str) -> Callable[[Any], Tuple[List[T], Optional[str]]]:
    """Reads a page: its records, and where the next one begins."""
    return lambda answer: ([record(kind, each) for each in answer[name]], answer.get("next_cursor"))


def labels(metadata: Optional[Mapping[str, str]]) -> Optional[List[str]]:
    """What a list is filtered by."""
    return [f"{key}={value}" for key, value in metadata.items()] if metadata else None


def milliseconds(seconds: Optional[float]) -> Optional[int]:
    """A time that somebody gave in seconds."""
    if seconds is None:
        return None
    if not 0 < seconds < 1e12:
        raise invalid(f"timeout: {seconds} (expected: > 0 seconds)", "Leave it out for no timeout.")
    return max(1, int(seconds * 1000))


def encoded(body: Mapping[str, Any]) -> bytes:
    """A body of JSON."""
    try:
        return json.dumps(body, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as problem:
        raise invalid(f"what is to be sent is no JSON: {problem}", "Check the types and texts of the arguments.") from None
