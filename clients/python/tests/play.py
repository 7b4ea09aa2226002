"""Plays the scenarios that all clients share: ``python3 play.py FILE RUNTIME PREFIX``, or with ``--async`` on an event loop.

What is told in the file in the words of this client is called as it stands there; see ``clients/scenarios/README.md``.
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any, Dict, List

from support import CLIENT

import sandglass
from sandglass import NotFoundError, SandglassError

FILE = CLIENT.parent / "scenarios" / "contract.json"


class Play:
    """One scenario."""

    def __init__(self, scenario: Dict[str, Any], runtime: str, prefix: str, flavour: str) -> None:
        self._steps = scenario["steps"]
        self._flavour = flavour
        self._kept: Dict[str, Any] = {}
        self._words = {"runtime": runtime, "run": prefix}

    async def run(self) -> None:
        """All of its steps; what they made goes, whatever became of them."""
        try:
            for number, step in enumerate(self._steps, start=1):
                try:
                    await self._step(step)
                except Exception as problem:
                    raise AssertionError(f"step {number}, {json.dumps(step)}: {type(problem).__name__}: {problem}") from problem
        finally:
            await self._clean()

    async def _step(self, step: Dict[str, Any]) -> None:
        arguments = [self._filled(each) for each in step.get("args", [])]
        named = {name: self._filled(each) for name, each in step.get("with", {}).items()}
        try:
            result = await settled(self._method(step)(*arguments, **named))
        except SandglassError as problem:
            if problem.code != step.get("error"):
                raise
            assert problem.message and problem.hint, repr(problem)
            return
        assert "error" not in step, f"it went well: {result!r}"
        if hasattr(result, "next_items"):
            result = [each async for each in result] if hasattr(result, "__aiter__") else list(result)
        if "as" in step:
            self._kept[step["as"]] = result
        if "expect" in step:
            expect(self._filled(step["expect"]), result, "the result")

    def _method(self, step: Dict[str, Any]) -> Any:
        path = step["do"].split(".")
        if "on" in step:
            owner = self._found(step["on"])
        else:
            owner = getattr(sandglass, self._flavour + path.pop(0))
        for name in path:
            owner = getattr(owner, name)
        return owner

    def _found(self, path: str) -> Any:
        name, *rest = path.split(".")
        value = self._kept[name]
        for part in rest:
            value = value[int(part)] if part.isdigit() else getattr(value, part)
        return value

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(r"\$\{([^}]*)\}", lambda found: self._words.get(found[1]) or str(self._found(found[1])), value)
        if isinstance(value, list):
            return [self._filled(each) for each in value]
        if isinstance(value, dict):
            if set(value) == {"base64"}:
                return base64.b64decode(value["base64"])
            return {name: self._filled(each) for name, each in value.items()}
        return value

    async def _clean(self) -> None:
        made: List[Any] = []
        for each in self._kept.values():
            made += each if isinstance(each, list) else [getattr(each, "winner", None) or each]
        for kind in ("Sandbox", "Snapshot", "Volume"):
            for each in made:
                if type(each).__name__ in (kind, "Async" + kind):
                    try:
                        await self._remove(kind, each)
                    except NotFoundError:
                        pass

    async def _remove(self, kind: str, each: Any) -> None:
        if kind == "Snapshot":
            await settled(getattr(sandglass, self._flavour + "Sandbox").delete_snapshot(each))
        else:
            await settled(each.kill() if kind == "Sandbox" else each.delete())


async def settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def expect(wanted: Any, found: Any, what: str) -> None:
    """Compares part by part."""
    if isinstance(wanted, dict):
        if set(wanted) == {"contains"}:
            assert wanted["contains"] in found, f"{what}: {found!r} (expected: with {wanted['contains']!r})"
        elif set(wanted) == {"present"}:
            assert found is not None, f"{what} is absent"
        elif set(wanted) == {"absent"}:
            assert found is None, f"{what}: {found!r} (expected: nothing)"
        else:
            for name, each in wanted.items():
                expect(each, found[name] if isinstance(found, dict) else getattr(found, name), f"{what}.{name}")
    elif isinstance(wanted, list):
        assert len(wanted) == len(found), f"{what}: {found!r} (expected: {len(wanted)} items)"
        for number, (each, other) in enumerate(zip(wanted, found)):
            expect(each, other, f"{what}[{number}]")
    else:
        assert wanted == found, f"{what}: {found!r} (expected: {wanted!r})"


async def play(scenario: Dict[str, Any], runtime: str, prefix: str, flavour: str = "") -> None:
    """Plays one; fails with an AssertionError that names the step."""
    await Play(scenario, runtime, prefix, flavour).run()


def fits(scenario: Dict[str, Any], runtime: str) -> bool:
    """Whether it is for that runtime."""
    return runtime in scenario.get("runtimes", [runtime])


def main(file: str, runtime: str, prefix: str, flavour: str) -> int:
    failed = 0
    for number, scenario in enumerate(json.loads(Path(file).read_text(encoding="utf-8"))):
        if fits(scenario, runtime):
            try:
                asyncio.run(play(scenario, runtime, f"{prefix}-{number}", flavour))
                print(f"ok    {scenario['name']}", flush=True)
            except AssertionError as problem:
                failed += 1
                print(f"FAILED {scenario['name']}: {problem}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--async"]
    sys.exit(main(*words, "Async" if "--async" in sys.argv else ""))  # type: ignore[misc]
