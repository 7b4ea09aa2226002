"""Waiting, and doing several things at once, with threads. Written by hand, beside that of ``_async``."""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future, wait
from typing import Any, Callable, Generic, Optional, TypeVar

T = TypeVar("T")

Told = object
"""What a function returns that is told something: it does not matter."""


class StillAtWork(Exception):
    """What is waited for goes on."""


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


def tell(listener: Callable[..., Any], *what: Any) -> Any:
    """Calls a function of the caller."""
    return listener(*what)


def work(function: Callable[..., T], *arguments: Any) -> T:
    """Calls a function that may block for a moment, as one does that reads a file."""
    return function(*arguments)


def _threaded(function: Callable[..., T], *arguments: Any) -> Future[T]:
    """Calls it in a thread that keeps no program from ending."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as problem:
            future.set_exception(problem)

    threading.Thread(target=run, name="sandglass", daemon=True).start()
    return future


class Ending:
    """Something that is to be done when the program leaves its event loop. It has none."""

    def __init__(self, action: Callable[[], None]) -> None:
        pass

    def begin(self) -> None:
        """Nothing: what nobody holds any more ends by itself."""


class Tasks(Generic[T]):
    """Several things that are done at once, whose results come as they are ready."""

    def __init__(self) -> None:
        self._done: queue.SimpleQueue[Future[T]] = queue.SimpleQueue()

    def start(self, function: Callable[..., T], *arguments: Any) -> None:
        """Begins another one."""
        _threaded(function, *arguments).add_done_callback(self._done.put)

    def next(self) -> T:
        """The result of the one that is ready next, or what it failed with."""
        return self._done.get().result()

    def leave(self) -> None:
        """Leaves those alone that still run: what they wait for is about to be gone."""


class Background(Generic[T]):
    """Something that goes on by itself, and whose result is waited for later."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._future = _threaded(function)

    def result(self, timeout: Optional[float]) -> T:
        """Waits for it; it goes on if the time is over before."""
        wait((self._future,), timeout)
        if not self._future.done():
            raise StillAtWork
        return self._future.result()
