"""Commands in a sandbox."""

from __future__ import annotations

from typing import Any, Callable, List, Literal, Mapping, Optional, Union, overload

from .._body import Body
from .._calls import commands as calls
from .._calls import sandboxes
from .._calls.commands import Words
from .._gathering import Gathering, Patience
from ..errors import CommandFailedError, ConflictError, SandboxNotRunningError, SandglassError, WaitTimeoutError, error_of, invalid
from ..models import CommandInfo, CommandResult, Output
from .client import AsyncClient
from .concurrency import AsyncBackground, StillAtWork, Told, sleep, tell
from .connection import AsyncValues

Listener = Callable[[str], Told]
"""A function that is told what a command prints."""

Hearing = Callable[[Output], Any]

_MOST_INPUT = 1 << 19
_GLANCE = 0.5


class AsyncCommands:
    """The commands of a sandbox: ``sandbox.commands``."""

    def __init__(self, client: AsyncClient, sandbox_id: str) -> None:
        self._client = client
        self._sandbox = sandbox_id

    @overload
    async def run(
        self,
        cmd: Words,
        *,
        background: Literal[False] = False,
        on_stdout: Optional[Listener] = None,
        on_stderr: Optional[Listener] = None,
        envs: Optional[Mapping[str, str]] = None,
        cwd: Optional[str] = None,
        user: Optional[str] = None,
        timeout: Optional[float] = None,
        stdin: Union[None, bool, str, bytes] = None,
        check: bool = False,
    ) -> CommandResult: ...

    @overload
    async def run(
        self,
        cmd: Words,
        *,
        background: Literal[True],
        on_stdout: Optional[Listener] = None,
        on_stderr: Optional[Listener] = None,
        envs: Optional[Mapping[str, str]] = None,
        cwd: Optional[str] = None,
        user: Optional[str] = None,
        timeout: Optional[float] = None,
        stdin: Union[None, bool, str, bytes] = None,
        check: bool = False,
    ) -> AsyncCommandHandle: ...

    async def run(
        self,
        cmd: Words,
        *,
        background: bool = False,
        on_stdout: Optional[Listener] = None,
        on_stderr: Optional[Listener] = None,
        envs: Optional[Mapping[str, str]] = None,
        cwd: Optional[str] = None,
        user: Optional[str] = None,
        timeout: Optional[float] = None,
        stdin: Union[None, bool, str, bytes] = None,
        check: bool = False,
    ) -> Union[CommandResult, AsyncCommandHandle]:
        """Runs a command to its end and returns what it printed, or with ``background`` returns a handle at once.

        ``cmd`` is a line for a login shell, or a list: a program with its arguments. It ends when it does, unless ``timeout``
        says after how many seconds it is killed. ``on_stdout`` and ``on_stderr`` are told what it prints as it comes. ``stdin``
        is what it reads; ``True`` keeps its input open for :meth:`AsyncCommandHandle.send_stdin`. How it ends is no error
        unless ``check`` is set: then another ``exit_code`` than 0 is a :class:`~sandglass.CommandFailedError`.

        A command that nobody waits for any more, as this call was interrupted, is killed. One in the background goes on.
        """
        if stdin is True and not background:
            raise invalid("stdin: True without background (expected: what it reads)", "Nobody could write to it before it ends.")
        words = calls.argv(cmd)
        request = calls.request(words, envs, cwd, user, timeout)
        told = on_stdout is not None or on_stderr is not None
        if not background and not told and _is_short(stdin):
            if stdin:
                request = {**request, "stdin": stdin}
            return _checked(await self._client.do(calls.run(self._sandbox, request, timeout)), cmd, check)
        started = await self._client.do(
            calls.start(self._sandbox, {**request, "stdin": stdin is not None and stdin is not False, "hold": told or not background})
        )
        handle = AsyncCommandHandle(self._client, self._sandbox, started, cmd)
        if isinstance(stdin, (str, bytes)):
            data = stdin
            AsyncBackground(lambda: handle._feed(data))
        hearing = _hearing(on_stdout, on_stderr)
        if background:
            if told:
                handle._listen(hearing)
            return handle
        try:
            result = await handle._read(hearing)
        except BaseException:
            await handle._give_up()
            raise
        return _checked(result, cmd, check)

    async def list(self) -> List[CommandInfo]:
        """Those that run and the finished ones that are still known, oldest first."""
        return await self._client.do(calls.listing(self._sandbox))

    async def connect(self, command_id: str) -> AsyncCommandHandle:
        """A command that was started before, by whomever."""
        return AsyncCommandHandle(self._client, self._sandbox, await self._client.do(calls.get(self._sandbox, command_id)))

    async def kill(self, command_id: str, signal: str = "KILL") -> bool:
        """Sends a signal to a command and all that it started; ``False`` if it has ended already."""
        return await _signal(self._client, self._sandbox, command_id, signal)


class AsyncStarted:
    """A command that was started, with a terminal or without. It goes on when this program leaves."""

    def __init__(self, client: AsyncClient, sandbox_id: str, info: CommandInfo, cmd: Optional[Words] = None) -> None:
        self._client = client
        self._sandbox = sandbox_id
        self._cmd = info.argv if cmd is None else cmd
        self._background: Optional[AsyncBackground[CommandResult]] = None
        self._result: Optional[CommandResult] = None
        self.command_id = info.command_id
        """By which it is found again."""
        self.pid = info.pid
        """As it is seen inside the sandbox."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.command_id}>"

    @property
    def exit_code(self) -> Optional[int]:
        """How it ended; nothing as long as nobody has waited for that."""
        return self._result.exit_code if self._result else None

    async def kill(self, signal: str = "KILL") -> bool:
        """Sends a signal to it and all that it started; ``False`` if it has ended already."""
        return await _signal(self._client, self._sandbox, self.command_id, signal)

    async def send_stdin(self, data: Union[str, bytes]) -> None:
        """Writes to its standard input; returns when it was taken."""
        await self._client.do(calls.stdin(self._sandbox, self.command_id, False), Body.of(data))

    async def close_stdin(self) -> None:
        """Lets it read the end of its standard input."""
        await self._client.do(calls.stdin(self._sandbox, self.command_id, True), Body.of(b""))

    def output(self) -> AsyncOutputStream:
        """What it prints, as it comes: iterate over it. It begins with what is kept of what was printed before."""
        return AsyncOutputStream(self._client, self._sandbox, self.command_id)

    async def _wait(self, listener: Optional[Hearing], timeout: Optional[float], check: bool) -> CommandResult:
        if self._result is not None and listener is None:
            return _checked(self._result, self._cmd, check)
        if listener is not None or (self._background is None and timeout is not None):
            self._listen(listener)
        if self._background is None:
            return _checked(await self._read(None), self._cmd, check)
        try:
            return _checked(await self._background.result(timeout), self._cmd, check)
        except StillAtWork:
            raise WaitTimeoutError(
                "wait_timeout", f"{self.command_id} still runs after {timeout} seconds", "Wait again, or kill it."
            ) from None

    def _listen(self, listener: Optional[Hearing]) -> None:
        self._background = AsyncBackground(lambda: self._read(listener))

    async def _read(self, listener: Optional[Hearing]) -> CommandResult:
        output = self.output()
        try:
            async for piece in output:
                if listener is not None:
                    await tell(listener, piece)
        finally:
            output.close()
        self._result = output.result()
        return self._result


class AsyncCommandHandle(AsyncStarted):
    """A command that was started without a terminal."""

    async def wait(
        self,
        on_stdout: Optional[Listener] = None,
        on_stderr: Optional[Listener] = None,
        *,
        timeout: Optional[float] = None,
        check: bool = False,
    ) -> CommandResult:
        """Waits for its end and returns what it printed, or as much of that as was kept.

        After ``timeout`` seconds that is a :class:`~sandglass.WaitTimeoutError`; the command goes on.
        """
        told = on_stdout is not None or on_stderr is not None
        return await self._wait(_hearing(on_stdout, on_stderr) if told else None, timeout, check)

    async def _feed(self, data: Union[str, bytes]) -> None:
        """Its input: what it does not take any more it does not want."""
        try:
            await self._client.do(calls.stdin(self._sandbox, self.command_id, True), Body.of(data))
        except ConflictError:
            pass

    async def _give_up(self) -> None:
        try:
            await self.kill()
        except SandglassError:
            pass  # what led here says more


class AsyncOutputStream:
    """What a command prints, piece by piece, until it ends. When the connection breaks it is made again."""

    def __init__(self, client: AsyncClient, sandbox_id: str, command_id: str) -> None:
        self._client = client
        self._sandbox = sandbox_id
        self._command = command_id
        self._gathering = Gathering()
        self._patience = Patience()
        self._values: Optional[AsyncValues] = None

    def __aiter__(self) -> AsyncOutputStream:
        return self

    async def __anext__(self) -> Output:
        while self._gathering.exit is None:
            try:
                piece = self._gathering.take(await self._next())
                self._patience.renew()
                if piece is not None:
                    return piece
            except SandboxNotRunningError:
                self.close()
                await self._rest()
            except SandglassError as problem:
                self.close()
                await sleep(self._patience.spend(problem))
        self.close()
        raise StopAsyncIteration

    def result(self) -> CommandResult:
        """How it ended, once all was read."""
        return self._gathering.result()

    def close(self) -> None:
        """Leaves; the command goes on."""
        if self._values is not None:
            self._values.close()
            self._values = None

    async def _rest(self) -> None:
        """Waits while the sandbox rests. To ask for its output would wake it, if its use does."""
        while True:
            state = (await self._client.do(sandboxes.get(self._sandbox))).state
            if state == "running":
                return
            if state not in ("paused", "resuming"):
                raise error_of("sandbox_not_running", f"The sandbox is {state}, and {self._command} with it.", "See its reason.")
            await sleep(_GLANCE)

    async def _next(self) -> Any:
        if self._values is None:
            self._values = AsyncValues(
                await self._client.stream(calls.output(self._sandbox, self._command, self._gathering.offset))
            )
        value = await self._values.next()
        if value is None:
            raise error_of("daemon_unreachable", f"What {self._command} prints is told no more", "See the log of the daemon.")
        return value


def _hearing(on_stdout: Optional[Listener], on_stderr: Optional[Listener]) -> Hearing:
    def hear(piece: Output) -> Any:
        listener = on_stderr if piece.stream == "stderr" else on_stdout
        return listener(piece.text) if listener is not None and piece.text else None

    return hear


def _is_short(stdin: Union[None, bool, str, bytes]) -> bool:
    """Whether it can go with the request; what is no text cannot."""
    return stdin is None or stdin is False or isinstance(stdin, str) and len(stdin.encode("utf-8", "replace")) <= _MOST_INPUT


def _checked(result: CommandResult, cmd: Words, check: bool) -> CommandResult:
    if check and result.exit_code != 0:
        line = cmd if isinstance(cmd, str) else " ".join(cmd)
        said = result.stderr.strip().rpartition("\n")[2] or result.message or "it printed no error"
        message = f"{line[:200]!r} ended with {result.exit_code}: {said[:500]}"
        raise CommandFailedError(message, "See result.stdout and result.stderr.", result)
    return result


async def _signal(client: AsyncClient, sandbox_id: str, command_id: str, signal: str) -> bool:
    try:
        await client.do(calls.signal(sandbox_id, command_id, signal))
        return True
    except ConflictError as problem:
        if problem.code != "command_ended":
            raise
        return False
