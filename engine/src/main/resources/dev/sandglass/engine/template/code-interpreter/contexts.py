# SPDX-License-Identifier: Apache-2.0
"""Contexts: code that is run one piece after the other, with what the pieces before have left."""
import asyncio, base64, json, os, re, signal

from jupyter_client.manager import AsyncKernelManager

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = "/home/user"
INTERRUPT_PATIENCE = 3  # seconds, until what does not heed it is ended
START_PATIENCE = 60
# What a copy of a warm sandbox is told of its variables; see the hook of its resumption.
ENVIRONMENT = "/run/code-interpreter.env"
PIECE = 1 << 16


class Unavailable(Exception):
    pass


def normalized(language):
    language = (language or "python").strip().lower()
    return {"js": "javascript", "ts": "typescript", "py": "python", "sh": "bash"}.get(language, language)


def sandbox_environment():
    """The variables of the sandbox as they are now: of this process, or of the copy that it has become."""
    try:
        with open(ENVIRONMENT, "rb") as file:
            pairs = (pair.split(b"=", 1) for pair in file.read().split(b"\0") if b"=" in pair)
            return {key.decode(errors="replace"): value.decode(errors="replace") for key, value in pairs}
    except OSError:
        return dict(os.environ)


class Context:
    def __init__(self, id, language, cwd):
        self.id, self.language, self.cwd = id, language, cwd
        self.lock, self.count, self.engine = asyncio.Lock(), 0, None
        self.environment = {}  # what was told to the engine last

    def described(self):
        return {"id": self.id, "language": self.language, "cwd": self.cwd}

    async def start(self):
        async with self.lock:
            await self.started()

    async def started(self):
        if self.engine is None or not await self.engine.is_alive():
            engine, self.engine = LANGUAGES[self.language](), None
            self.environment = sandbox_environment()
            await engine.start(self.cwd, self.environment)
            self.engine = engine

    async def stop(self):
        engine, self.engine = self.engine, None
        if engine:
            await engine.stop()

    async def restart(self):
        await self.stop()
        self.count = 0
        await self.start()

    async def execute(self, code, variables, tell):
        """Runs it when nothing else runs here. Cancelling interrupts the code; what does not heed that ends with its context's state."""
        async with self.lock:
            await self.started()
            await self.adopt()
            await self.set({key: str(value) for key, value in variables.items()})
            self.count += 1
            try:
                await tell("number_of_executions", execution_count=self.count)
                await self.engine.execute(code, tell)
            except asyncio.CancelledError:
                await self.interrupt()
                raise
            finally:
                if variables and self.engine:
                    await self.set({key: self.environment.get(key) for key in variables})

    async def interrupt(self):
        engine = self.engine
        try:
            await asyncio.wait_for(engine.interrupt(), INTERRUPT_PATIENCE)
        except asyncio.TimeoutError:
            self.engine = None
            await engine.stop()

    async def adopt(self):
        """The sandbox may have become a copy with other variables."""
        now = sandbox_environment()
        if now != self.environment:
            await self.set({**{key: None for key in self.environment if key not in now}, **{k: v for k, v in now.items() if self.environment.get(k) != v}})
            self.environment = now

    async def set(self, variables):
        if variables:
            await self.engine.set(variables)


class Python:
    """A kernel of Jupyter."""

    async def start(self, cwd, environment):
        self.manager = AsyncKernelManager(kernel_name="python3")
        options = ["--InteractiveShell.colors=NoColor", "--HistoryManager.enabled=False", "--IPKernelApp.exec_files=" + os.path.join(HERE, "rich.py")]
        await self.manager.start_kernel(
            cwd=cwd, env={**environment, "MPLBACKEND": "module://matplotlib_inline.backend_inline"}, extra_arguments=options)
        self.client = self.manager.client()
        self.client.start_channels()
        await self.client.wait_for_ready(timeout=START_PATIENCE)

    async def is_alive(self):
        return await self.manager.is_alive()

    async def stop(self):
        self.client.stop_channels()
        await self.manager.shutdown_kernel(now=True)

    async def set(self, variables):
        await self.execute(
            f"import os as _os\nfor _k, _v in {variables!r}.items():\n    _os.environ.__setitem__(_k, _v) if _v is not None else _os.environ.pop(_k, None)\ndel _os, _k, _v",
            None)

    async def execute(self, code, tell):
        """Without anybody to tell it leaves no trace."""
        self.asked = self.client.execute(code, silent=tell is None, store_history=tell is not None, allow_stdin=False, stop_on_error=True)
        failed = False
        while True:
            message = await self.next()
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return
            if tell is None:
                continue
            if kind == "stream":
                await tell(content["name"], text=content["text"])
            elif kind in ("display_data", "execute_result"):
                await tell("result", **result(content["data"], kind == "execute_result"))
            elif kind == "error" and not failed:
                failed = True
                await tell("error", name=content["ename"], value=content["evalue"], traceback="\n".join(content["traceback"]))

    async def next(self):
        while True:
            try:
                message = await self.client.get_iopub_msg(timeout=1)
            except Exception as empty:
                if not await self.manager.is_alive():
                    raise RuntimeError("the kernel has ended; what was in it is gone") from empty
                continue
            if message["parent_header"].get("msg_id") == self.asked:
                return message

    async def interrupt(self):
        await self.manager.interrupt_kernel()
        while (await self.next())["content"].get("execution_state") != "idle":
            pass


KINDS = {
    "text/html": "html", "text/markdown": "markdown", "image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpeg", "application/pdf": "pdf",
    "text/latex": "latex", "application/json": "json", "application/javascript": "javascript", "e2b/data": "data", "e2b/chart": "chart",
}


def result(data, main):
    """What Jupyter displays, by the names that clients know; a text without the quotes of its representation."""
    data = dict(data)
    text = data.pop("text/plain", None)
    if text and len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        text = text[1:-1]
    told = {name: data.pop(kind, None) for kind, name in KINDS.items()}
    told = {name: value.rstrip("\n") if name in ("png", "jpeg") and value else value for name, value in told.items()}
    return {"text": text, **told, "extra": data, "is_main_result": main}


class Process:
    """A program that takes requests on one descriptor and tells on another that it is done; what it prints in between belongs to the request."""

    async def spawn(self, cwd, environment, *command):
        (there, self.requests), (answers, here) = os.pipe(), os.pipe()
        try:
            self.process = await asyncio.create_subprocess_exec(
                *command, str(there), str(here), cwd=cwd, env=environment, pass_fds=(there, here), start_new_session=True,
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        finally:
            os.close(there)
            os.close(here)
        self.answers = asyncio.StreamReader(limit=1 << 26)
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self.answers), os.fdopen(answers, "rb", 0))
        self.tell = None
        self.readers = [asyncio.ensure_future(self.read(name, pipe)) for name, pipe in (("stdout", self.process.stdout), ("stderr", self.process.stderr))]

    async def read(self, name, pipe):
        while piece := await pipe.read(PIECE):
            if self.tell:
                await self.tell(name, text=piece.decode(errors="replace"))

    async def drain(self):
        """What was printed before the answer is in the pipes, none of which has more than the loop reads in a turn."""
        for _ in range(5):
            await asyncio.sleep(0)

    async def is_alive(self):
        return self.process.returncode is None

    async def ask(self, request):
        await self.write(json.dumps(request).encode() + b"\n")
        return await self.answer()

    async def write(self, data):
        loop = asyncio.get_running_loop()
        while data:
            data = data[await loop.run_in_executor(None, os.write, self.requests, data[:PIECE]):]

    async def answer(self):
        line = await self.answers.readline()
        if not line:
            raise RuntimeError("the context has ended; what was in it is gone")
        return json.loads(line)

    async def execute(self, code, tell):
        self.tell = tell
        try:
            answer = await self.ask({"code": code})
            await self.drain()
        finally:
            self.tell = None
        for each in answer.get("results", []):
            await tell("result", **result(each, True))
        if answer.get("error"):
            await tell("error", **answer["error"])

    async def set(self, variables):
        await self.ask({"set": variables})

    async def interrupt(self):
        os.killpg(self.process.pid, signal.SIGINT)
        await self.answer()

    async def stop(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        await self.process.wait()
        os.close(self.requests)
        for reader in self.readers:
            reader.cancel()


class JavaScript(Process):
    async def start(self, cwd, environment):
        await self.spawn(cwd, environment, "node", "--no-warnings", os.path.join(HERE, "context.js"))


class Bash(Process):
    """Bash has no JSON: it is told in base64, and answers with its status."""

    async def start(self, cwd, environment):
        await self.spawn(cwd, environment, "bash", "--noprofile", "--norc", os.path.join(HERE, "context.sh"))

    async def ask(self, request):
        if "set" in request:
            lines = (f"export {k}={quoted(v)}" if v is not None else f"unset {k}" for k, v in request["set"].items() if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", k))
            code = "\n".join(lines)
        else:
            code = request["code"]
        await self.write(base64.b64encode(code.encode()) + b"\n")
        status = await self.answer()
        return {"error": {"name": "ExitStatus", "value": str(status), "traceback": ""}} if status else {}


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


LANGUAGES = {"python": Python, "javascript": JavaScript, "typescript": JavaScript, "bash": Bash}
