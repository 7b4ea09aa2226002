"""Makes records of the daemon's answers. What a record does not know is left out, so that a newer daemon may say more."""

from __future__ import annotations

import dataclasses
import re
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, Tuple, Type, TypeVar, Union, get_args, get_origin, get_type_hints

from ._http import MalformedAnswer

T = TypeVar("T")
_Field = Tuple[str, str, Callable[[Any], Any], bool]

_KNOWN: Dict[Any, Tuple[_Field, ...]] = {}
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$")


def named(name: str, default: Any = dataclasses.MISSING) -> Any:
    """A field that has another name in the API."""
    return dataclasses.field(default=default, metadata={"name": name})


def record(kind: Type[T], value: Any) -> T:
    """The record that a JSON object is."""
    if not isinstance(value, dict):
        raise MalformedAnswer(f"{kind.__name__}: {type(value).__name__} (expected: an object)")
    given: Dict[str, Any] = {}
    for field, name, convert, required in _fields(kind):
        if value.get(name) is not None:
            given[field] = convert(value[name])
        elif required:
            raise MalformedAnswer(f"{kind.__name__} without {name}")
    return kind(**given)


def time(text: Any) -> datetime:
    """An instant with its time zone. One that no calendar has, as a file may, is the first or the last of those that there are."""
    parts = _TIME.match(text) if isinstance(text, str) else None
    if not parts:
        last = datetime.max.replace(tzinfo=timezone.utc)
        return datetime.min.replace(tzinfo=timezone.utc) if str(text).startswith(("-", "0000")) else last
    seconds, fraction, zone = parts.groups()
    try:
        instant = datetime.fromisoformat(seconds + ("+00:00" if zone == "Z" else zone))
    except ValueError:
        return datetime.min.replace(tzinfo=timezone.utc)
    return instant + timedelta(microseconds=int((fraction or "0")[:6].ljust(6, "0")))


def _fields(kind: Any) -> Tuple[_Field, ...]:
    known = _KNOWN.get(kind)
    if known is not None:
        return known
    hints = get_type_hints(kind)
    _KNOWN[kind] = found = tuple(
        (
            field.name,
            field.metadata.get("name", field.name),
            _converter(hints[field.name]),
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(kind)
    )
    return found


def _converter(hint: Any) -> Callable[[Any], Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Union:
        return _converter(next(each for each in arguments if each is not type(None)))
    if origin is list:
        of_item = _converter(arguments[0])
        return lambda value: [of_item(item) for item in _held(list, value)]
    if origin is dict:
        of_value = _converter(arguments[1])
        return lambda value: {key: of_value(item) for key, item in _held(dict, value).items()}
    if hint is datetime:
        return time
    if dataclasses.is_dataclass(hint):
        return lambda value: record(hint, value)
    if hint is float:
        return lambda value: float(_held((int, float), value))
    return lambda value: value if hint is Any else _held(hint, value)


def _held(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind):
        raise MalformedAnswer(f"{type(value).__name__} (expected: {kind})")
    return value
