"""What the tests share: a daemon that runs, found as any program finds it, and sandboxes that go when a test is over."""

from __future__ import annotations

import sys
import time
import unittest
import uuid
from pathlib import Path
from typing import Any, Callable, List, TypeVar

HERE = Path(__file__).resolve().parent
CLIENT = HERE.parent
PROJECT = CLIENT.parent.parent
sys.path.insert(0, str(CLIENT / "src"))

from sandglass import Client, Sandbox  # noqa: E402

T = TypeVar("T")

MEMORY_MB = 256


def runtimes() -> List[str]:
    """Those that this machine has."""
    from sandglass._calls.sandboxes import status

    return [runtime["name"] for runtime in Client().do(status())["runtimes"] if runtime["available"]]


def unique(word: str) -> str:
    """A name that nothing else has."""
    return f"{word}-{uuid.uuid4().hex[:8]}"


def eventually(what: Callable[[], T], seconds: float = 60.0) -> T:
    """Waits until something is true, and returns it."""
    end = time.monotonic() + seconds
    while True:
        value = what()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} seconds; the last was {value!r}")
        time.sleep(0.02)


class SandboxTest(unittest.TestCase):
    """A test with sandboxes."""

    def sandbox(self, **options: Any) -> Sandbox:
        """One that goes when the test is over."""
        made = Sandbox.create(**{"memory_mb": MEMORY_MB, "runtime": "container", **options})
        self.addCleanup(made.kill)
        return made

    def snapshot_goes(self, snapshot: str) -> None:
        """Removes a snapshot when the test is over."""

        def remove() -> None:
            from sandglass import SnapshotNotFoundError

            try:
                Sandbox.delete_snapshot(snapshot)
            except SnapshotNotFoundError:
                pass

        self.addCleanup(remove)


def on_each_runtime(test: Callable[[Any, str], None]) -> Callable[[Any], None]:
    """A test that is done once for each runtime."""

    def all_of_them(self: Any) -> None:
        for runtime in runtimes():
            with self.subTest(runtime=runtime):
                test(self, runtime)

    all_of_them.__name__ = test.__name__
    all_of_them.__doc__ = test.__doc__
    return all_of_them
