# Made of _async/paging.py by tools/unasync.py: change that one.
"""Lists that come in pages."""

from __future__ import annotations

from typing import Callable, Generic, List, Optional, Tuple, TypeVar

from .._calls.call import Call
from ..errors import invalid
from .client import Client

T = TypeVar("T")

MOST = 1000


class Paginator(Generic[T]):
    """All that there is, a page at a time: iterate over it, or take page after page with :meth:`next_items`.

    What comes and goes meanwhile makes nothing else appear twice or be left out.
    """

    def __init__(self, client: Client, page: Callable[[Optional[str], int], Call[Tuple[List[T], Optional[str]]]], limit: int) -> None:
        if not 1 <= limit <= MOST:
            raise invalid(f"limit: {limit} (expected: 1 to {MOST})", "It is how many come with one page; all pages are iterated over.")
        self._client = client
        self._page = page
        self._limit = limit
        self._cursor: Optional[str] = None
        self._items: List[T] = []
        self.has_next = True
        """Whether another page may follow."""

    def next_items(self) -> List[T]:
        """The next page; nothing where ``has_next`` is false."""
        if not self.has_next:
            return []
        items, self._cursor = self._client.do(self._page(self._cursor, self._limit))
        self.has_next = self._cursor is not None
        return items

    def __iter__(self) -> Paginator[T]:
        return self

    def __next__(self) -> T:
        while not self._items:
            if not self.has_next:
                raise StopIteration
            self._items = (self.next_items())[::-1]
        return self._items.pop()
