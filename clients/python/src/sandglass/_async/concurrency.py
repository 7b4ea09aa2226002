"""Waiting, and doing several things at once, on an event loop."""

from __future__ import annotations

import asyncio
import inspect
import weakref
from typing import Any, AsyncIterator, Awaitable, Callable, Generic, Optional, Set, TypeVar, Union

T = TypeVar("T")

Told = Union[None, Awaitable[None]]
"""What a function returns that is told something: it may be a coroutine."""


class StillAtWork(Exception):
    """What is waited for goes on."""


async def sleep(seconds: float) -> None:
    """Waits."""
    await asyncio.sleep(seconds)


async def tell(listener: Callable[..., Any], *what: Any) -> Any:
    """Calls a function of the caller, and waits for it if it is a coroutine."""
    told = listener(*what)
    return await told if inspect.isawaitable(told) else told


async def work(function: Callable[..., T], *arguments: Any) -> T:
    """Calls a function that may block for a moment, as one does that reads a file."""
    return await asyncio.get_running_loop().run_in_executor(None, function, *arguments)


class AsyncEnding:
    """Something that is to be done when the program leaves its event loop: as with a generator that it has not read to its end."""

    def __init__(self, action: Callable[[], None]) -> None:
        self._action = action
        self._loop: Optional[weakref.ref[asyncio.AbstractEventLoop]] = None
        self._generator: Optional[AsyncIterator[None]] = None

    async def begin(self) -> None:
        """Lets it be done at the end of the loop that runs now."""
        loop = asyncio.get_running_loop()
        if self._loop is None or self._loop() is not loop:
            self._loop = weakref.ref(loop)
            self._generator = self._wait()
            await self._generator.__anext__()

    async def _wait(self) -> AsyncIterator[None]:
        try:
            yield
        finally:
            self._action()
            await asyncio.sleep(0)  # what was ended is told of that


class AsyncTasks(Generic[T]):
    """Several things that are done at once, whose results come as they are ready."""

    def __init__(self) -> None:
        self._done: asyncio.Queue[asyncio.Task[T]] = asyncio.Queue()
        self._running: Set[asyncio.Task[T]] = set()

    def start(self, function: Callable[..., Awaitable[T]], *arguments: Any) -> None:
        """Begins another one."""
        task: asyncio.Task[T] = asyncio.ensure_future(function(*arguments))
        self._running.add(task)
        task.add_done_callback(self._done.put_nowait)

    async def next(self) -> T:
        """The result of the one that is ready next, or what it failed with."""
        task = await self._done.get()
        self._running.discard(task)
        return task.result()

    async def leave(self) -> None:
        """Ends those that still run."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


class AsyncBackground(Generic[T]):
    """Something that goes on by itself, and whose result is waited for later."""

    def __init__(self, function: Callable[[], Awaitable[T]]) -> None:
        self._task: asyncio.Task[T] = asyncio.ensure_future(function())
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())  # told to who waits, if anybody does

    async def result(self, timeout: Optional[float]) -> T:
        """Waits for it; it goes on if the time is over before."""
        await asyncio.wait((self._task,), timeout=timeout)
        if not self._task.done():
            raise StillAtWork
        return self._task.result()
