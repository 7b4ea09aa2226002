# SPDX-License-Identifier: Apache-2.0
"""Runs code for its clients on port 49999, each context by itself, and tells what comes of it line by line."""
import asyncio, json, os, sys, uuid
from datetime import datetime, timezone

from tornado.iostream import StreamClosedError
from tornado.web import Application, RequestHandler

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from contexts import HOME, LANGUAGES, Context, Unavailable, normalized

PORT = 49999
MOST_BYTES = 64 << 20
KEEPALIVE = 5  # seconds
MOST_WAITING = 256  # lines that wait for a client


class Contexts:
    """All contexts by id; one of each language is the usual one."""

    def __init__(self):
        self.all, self.usual = {}, {}
        for language in ("python", "javascript"):
            self.usual[language] = self.add(language, HOME)

    def add(self, language, cwd):
        if language not in LANGUAGES:
            raise Unavailable(f"language {language} is not available (expected: {', '.join(sorted(LANGUAGES))})")
        if not os.path.isdir(cwd):
            raise Unavailable(f"cwd {cwd} is no directory")
        context = Context(str(uuid.uuid4()), language, cwd)
        self.all[context.id] = context
        return context

    def of(self, language):
        if language not in self.usual:
            self.usual[language] = self.add(language, HOME)
        return self.usual[language]

    async def remove(self, context):
        del self.all[context.id]
        self.usual = {language: each for language, each in self.usual.items() if each is not context}
        await context.stop()


contexts = Contexts()


class Handler(RequestHandler):
    def body(self):
        try:
            value = json.loads(self.request.body or b"{}")
        except ValueError as problem:
            self.refuse(400, f"the body is no JSON: {problem}")
            return None
        if not isinstance(value, dict):
            self.refuse(400, "the body is no JSON object")
            return None
        return value

    def refuse(self, status, text):
        self.set_status(status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(text)

    def found(self, id):
        context = contexts.all.get(id)
        if context is None:
            self.refuse(404, f"Context {id} not found")
        return context

    def told(self, value):
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps(value))


class Health(Handler):
    def get(self):
        self.told("OK")


class AllContexts(Handler):
    def get(self):
        self.told([each.described() for each in contexts.all.values()])

    async def post(self):
        asked = self.body()
        if asked is None:
            return
        try:
            context = contexts.add(normalized(asked.get("language")), asked.get("cwd") or HOME)
        except Unavailable as problem:
            return self.refuse(500, str(problem))
        try:
            await context.start()
        except Exception as problem:
            await contexts.remove(context)
            return self.refuse(500, str(problem))
        self.told(context.described())


class OneContext(Handler):
    async def delete(self, id):
        context = self.found(id)
        if context:
            await contexts.remove(context)
            self.told(None)


class Restart(Handler):
    async def post(self, id):
        context = self.found(id)
        if context:
            await context.restart()
            self.told(None)


class Execute(Handler):
    running = None
    left = False

    def on_connection_close(self):
        self.left = True
        if self.running:
            self.running.cancel()

    def context(self, asked):
        if asked.get("context_id") and asked.get("language"):
            return self.refuse(400, "Only one of context_id or language can be provided")
        if asked.get("context_id"):
            return self.found(asked["context_id"])
        try:
            return contexts.of(normalized(asked.get("language")))
        except Unavailable as problem:
            return self.refuse(500, str(problem))

    async def post(self):
        asked = self.body()
        context = self.context(asked) if asked is not None else None
        if context is None:
            return
        lines = asyncio.Queue(MOST_WAITING)
        self.set_header("Content-Type", "application/json")
        self.running = asyncio.ensure_future(self.run(context, asked, lines))
        try:
            await self.flush()
            while (line := await self.next(lines)) is not None:
                self.write(line)
                await self.flush()
        except StreamClosedError:
            self.running.cancel()
        await asyncio.wait([self.running])

    async def next(self, lines):
        """The next line; a blank one when there was none for a while, so that a client that has gone is noticed."""
        try:
            return await asyncio.wait_for(lines.get(), KEEPALIVE)
        except asyncio.TimeoutError:
            return "\n"

    async def run(self, context, asked, lines):
        async def tell(type, **fields):
            if type in ("stdout", "stderr"):
                fields["timestamp"] = datetime.now(timezone.utc).isoformat()
            await lines.put(json.dumps({"type": type, **fields}, default=str) + "\n")

        try:
            await context.execute(asked.get("code") or "", asked.get("env_vars") or {}, tell)
        except asyncio.CancelledError:
            return
        except Exception as problem:
            await tell("error", name=type(problem).__name__, value=str(problem), traceback="")
        await tell("end_of_execution")
        await lines.put(None)


async def main():
    Application([
        ("/health", Health),
        ("/contexts", AllContexts),
        ("/contexts/([^/]+)", OneContext),
        ("/contexts/([^/]+)/restart", Restart),
        ("/execute", Execute),
    ]).listen(PORT, "0.0.0.0", max_body_size=MOST_BYTES, max_buffer_size=MOST_BYTES)
    await contexts.usual["python"].start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
