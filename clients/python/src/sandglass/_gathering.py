"""What a command prints, as it comes: decoded for those who listen, and kept within a bound for its result."""

from __future__ import annotations

import base64
import binascii
import codecs
from time import monotonic
from typing import Any, Mapping, Optional

from ._calls.commands import OUTPUT_LIMIT, ended
from ._http import MalformedAnswer
from ._reading import record
from .errors import DaemonUnreachableError, SandglassError, error_of
from .models import CommandResult, Exit, Output


class _Kept:
    """The beginning of one kind of output."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.truncated = False

    def add(self, data: bytes) -> str:
        room = OUTPUT_LIMIT - len(self._bytes)
        self.truncated = self.truncated or len(data) > room
        self._bytes += data[:room]
        return self._decoder.decode(data)

    def text(self) -> str:
        return self._bytes.decode("utf-8", "replace")


class Gathering:
    """The output of one command, read from its beginning or from what is kept of it."""

    def __init__(self) -> None:
        self.exit: Optional[Exit] = None
        self.offset = 0
        """Where to go on when the connection broke."""
        self._stdout = _Kept()
        self._stderr = _Kept()

    def take(self, event: Mapping[str, Any]) -> Optional[Output]:
        """What an event tells; nothing if it is no output."""
        if event.get("error"):
            problem = event["error"]
            raise error_of(problem["code"], problem["message"], problem["hint"])
        if event.get("exit"):
            self.exit = record(Exit, event["exit"])
        if event.get("dropped"):
            self.offset += int(event["dropped"])
            self._stdout.truncated = self._stderr.truncated = True
        if "data" not in event:
            return None
        try:
            data = base64.b64decode(event["data"], validate=True)
        except (binascii.Error, ValueError, TypeError):
            raise MalformedAnswer("output that is no base64") from None
        stream = "stderr" if event.get("stream") == "stderr" else "stdout"
        self.offset += len(data)
        return Output(stream, (self._stderr if stream == "stderr" else self._stdout).add(data), data)

    def text(self) -> str:
        """What came so far, but for errors."""
        return self._stdout.text()

    def result(self) -> CommandResult:
        """All of it, once it has ended."""
        if self.exit is None:
            raise ValueError("it has not ended")
        kept = self._stdout, self._stderr
        return ended(self.exit, kept[0].text(), kept[1].text(), kept[0].truncated, kept[1].truncated)


class Patience:
    """How long to wait for a daemon that went away: half a minute, with growing pauses."""

    _LIMIT = 30.0
    _LONGEST = 1.0

    def __init__(self) -> None:
        self._since = 0.0
        self._pause = 0.0

    def renew(self) -> None:
        """It is there."""
        self._pause = 0.0

    def spend(self, problem: SandglassError) -> float:
        """How long to pause before the next try; fails with the problem when the time is over, or if waiting does not help."""
        if not isinstance(problem, DaemonUnreachableError) and problem.code != "shutting_down":
            raise problem
        now = monotonic()
        if self._pause == 0.0:
            self._since = now
            self._pause = 0.02
        elif now - self._since > self._LIMIT:
            raise problem
        self._pause = min(self._LONGEST, self._pause * 2)
        return self._pause
