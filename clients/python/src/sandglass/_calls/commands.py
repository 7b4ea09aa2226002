"""Commands, with a terminal or without."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence, Union

from ..errors import invalid
from ..models import CommandInfo, CommandResult, Exit
from .call import FOREVER, Call, all_of, given, milliseconds, nothing, of, path

OUTPUT_LIMIT = 1 << 24
_SHELL = '[ -x /bin/bash ] && exec /bin/bash -lc "$1"; exec /bin/sh -lc "$1"'
_LOGIN = "[ -x /bin/bash ] && exec /bin/bash -l; exec /bin/sh -l"

Words = Union[str, Sequence[str]]
"""A line for a login shell, or a program with its arguments."""


def argv(cmd: Words) -> List[str]:
    """What is executed."""
    if isinstance(cmd, str):
        return ["/bin/sh", "-c", _SHELL, "sh", cmd]
    words = list(cmd)
    if not words or not all(isinstance(word, str) for word in words):
        raise invalid(f"cmd: {cmd!r} (expected: a line of shell, or a program with its arguments)", "Give a text or a list of texts.")
    return words


def terminal(cmd: Optional[Words]) -> List[str]:
    """What is executed in a terminal: a login shell if nothing is said."""
    return ["/bin/sh", "-c", _LOGIN] if cmd is None else argv(cmd)


def run(sandbox: str, body: Mapping[str, Any], timeout: Optional[float]) -> Call[CommandResult]:
    return Call(
        "POST",
        path("sandboxes", sandbox, "commands", "run"),
        result,
        body={**body, "output_limit": OUTPUT_LIMIT},
        patience=FOREVER if timeout is None else timeout + 120,
    )


def result(answer: Any) -> CommandResult:
    """How a command that was run ended."""
    exit = of(Exit)(answer["exit"])
    return ended(exit, answer["stdout"], answer["stderr"], answer["stdout_truncated"], answer["stderr_truncated"])


def ended(exit: Exit, stdout: str, stderr: str, stdout_truncated: bool, stderr_truncated: bool) -> CommandResult:
    return CommandResult(stdout, stderr, exit.exit_code, exit.reason, exit.message, stdout_truncated, stderr_truncated)


def request(
    cmd: List[str],
    envs: Optional[Mapping[str, str]],
    cwd: Optional[str],
    user: Optional[str],
    timeout: Optional[float],
    **more: Any,
) -> Mapping[str, Any]:
    """A command as it is sent."""
    return given(argv=cmd, env=envs and dict(envs), cwd=cwd, user=user, timeout_ms=milliseconds(timeout), **more)


def start(sandbox: str, body: Mapping[str, Any]) -> Call[CommandInfo]:
    return Call("POST", path("sandboxes", sandbox, "commands"), of(CommandInfo), body=body, once=True)


def listing(sandbox: str) -> Call[List[CommandInfo]]:
    return Call("GET", path("sandboxes", sandbox, "commands"), all_of(CommandInfo, "commands"))


def get(sandbox: str, command: str) -> Call[CommandInfo]:
    return Call("GET", path("sandboxes", sandbox, "commands", command), of(CommandInfo))


def signal(sandbox: str, command: str, name: str) -> Call[None]:
    return Call("POST", path("sandboxes", sandbox, "commands", command, "signal"), nothing, body={"signal": name})


def resize(sandbox: str, command: str, cols: int, rows: int) -> Call[None]:
    return Call("POST", path("sandboxes", sandbox, "commands", command, "resize"), nothing, body={"cols": cols, "rows": rows})


def stdin(sandbox: str, command: str, end: bool) -> Call[None]:
    where = path("sandboxes", sandbox, "commands", command, "stdin")
    return Call("POST", where, nothing, {"end": end}, content_type="application/octet-stream", patience=FOREVER)


def output(sandbox: str, command: str, offset: int) -> Call[None]:
    """Follows it: the kept tail from there on, and what comes until its end."""
    where = path("sandboxes", sandbox, "commands", command, "output")
    return Call("GET", where, nothing, {"follow": True, "offset": offset}, accept="application/x-ndjson", patience=FOREVER)
