# Made of _async/race.py by tools/unasync.py: change that one.
"""Copies of one state that try something at once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Callable, Generic, List, Mapping, Optional, Sequence, TypeVar, Union
from uuid import uuid4

from .._calls.commands import argv
from ..errors import SandglassError, invalid
from ..models import RaceBranch
from .concurrency import Tasks, tell

if TYPE_CHECKING:
    from .sandbox import Sandbox

S = TypeVar("S", bound="Sandbox")

Attempt = Union[str, Sequence[str], Callable[[S], Any]]
"""A command, or a function that gets a sandbox."""


@dataclass(frozen=True)
class RaceResult(Generic[S]):
    """How a race ended."""

    winner: Optional[S]
    """The copy that was kept; nothing if none succeeded."""
    branches: List[RaceBranch]
    """All copies and how they fared, in order of their numbers."""


class Race(Generic[S]):
    """A race that is to be run."""

    def __init__(
        self,
        attempts: Sequence[Attempt[S]],
        count: Optional[int],
        score: Optional[str],
        timeout: Optional[float],
        envs: Optional[Mapping[str, str]],
    ) -> None:
        if not attempts or (len(attempts) > 1 and count not in (None, len(attempts))):
            raise invalid(
                f"attempts, count: {len(attempts)}, {count} (expected: one attempt, or as many as copies)", "Leave count out for several."
            )
        self.count = len(attempts) if len(attempts) > 1 else 2 if count is None else count
        if self.count < 2:
            raise invalid(f"count: {self.count} (expected: >= 2)", "One copy alone does not race: use fork.")
        self._attempts = attempts if len(attempts) > 1 else [attempts[0]] * self.count
        for attempt in attempts:
            if not callable(attempt):
                argv(attempt)
        self._score = score
        self._timeout = timeout
        self._envs = envs or {}

    @staticmethod
    def name_of(given: Optional[str]) -> str:
        """What the copies are called, but for their numbers."""
        return given or "race-" + uuid4().hex[:10]

    def run(self, copies: List[S]) -> RaceResult[S]:
        """Runs it to its end. Whatever happens, no copy is left but the one that won."""
        begun = monotonic()
        branches = [
            RaceBranch(number, copy.sandbox_id, copy.name, "beaten") for number, copy in enumerate(copies, start=1)
        ]
        winner: Optional[int] = None
        tasks: Tasks[RaceBranch] = Tasks()
        try:
            for branch, copy in zip(branches, copies):
                tasks.start(self._try, branch, copy)
            for _ in copies:
                ended = tasks.next()
                branches[ended.branch - 1] = ended
                if self._score is None and ended.outcome == "succeeded":
                    winner = ended.branch
                    break
            scored = [branch for branch in branches if branch.score is not None]
            if self._score is not None and scored:
                winner = max(scored, key=lambda branch: branch.score or 0.0).branch
            took = int((monotonic() - begun) * 1000)
            told = [replace(each, kept=each.branch == winner, ms=each.ms or took) for each in branches]
            return RaceResult(None if winner is None else copies[winner - 1], told)
        finally:
            tasks.leave()
            _destroy([copy for number, copy in enumerate(copies, start=1) if number != winner])

    def _try(self, branch: RaceBranch, copy: S) -> RaceBranch:
        """What keeps a copy from trying is a failure of that copy alone."""
        begun = monotonic()
        try:
            ended = self._attempt(branch, copy, self._attempts[branch.branch - 1])
        except Exception as problem:
            ended = replace(branch, outcome="failed", stderr=str(problem) or type(problem).__name__)
        return replace(ended, ms=int((monotonic() - begun) * 1000))

    def _attempt(self, branch: RaceBranch, copy: S, attempt: Attempt[S]) -> RaceBranch:
        envs = {**self._envs, "SANDGLASS_BRANCH": str(branch.branch)}
        if callable(attempt):
            succeeded = tell(attempt, copy) is not False
            ended = replace(branch, outcome="succeeded" if succeeded else "failed")
        else:
            result = copy.commands.run(attempt, envs=envs, timeout=self._timeout)
            ended = replace(
                branch,
                outcome="succeeded" if result.exit_code == 0 else "failed",
                exit_code=result.exit_code,
                stdout=result.stdout,
                stderr=result.stderr,
            )
        if self._score is not None and ended.outcome == "succeeded":
            scored = copy.commands.run(self._score, envs=envs, timeout=self._timeout)
            if scored.exit_code == 0:
                ended = replace(ended, score=_number(scored.stdout))
        return ended


def _destroy(copies: Sequence[Sandbox]) -> None:
    """Tries all of them before it tells that one could not be destroyed."""
    problem: Optional[SandglassError] = None
    for copy in copies:
        try:
            copy.kill()
        except SandglassError as failed:
            problem = failed
    if problem is not None:
        raise problem


def _number(text: str) -> Optional[float]:
    try:
        number = float(text.strip())
    except ValueError:
        return None
    return number if math.isfinite(number) else None
