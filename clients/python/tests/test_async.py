"""The same on an event loop: many at once, what is cancelled ends, and loops come and go."""

import asyncio
import tempfile
import time
import unittest
from pathlib import Path

import support  # noqa: F401
from support import MEMORY_MB, unique

from sandglass import (
    AsyncClient,
    AsyncSandbox,
    AsyncSandboxManager,
    AsyncVolume,
    CommandFailedError,
    DaemonUnreachableError,
    SandboxNotFoundError,
    WaitTimeoutError,
)


async def eventually(what, seconds=60.0):
    end = time.monotonic() + seconds
    while not await what():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} seconds")
        await asyncio.sleep(0.02)


def box(**options):
    return AsyncSandbox.create(**{"runtime": "container", "memory_mb": MEMORY_MB, **options})


class AsyncTest(unittest.IsolatedAsyncioTestCase):
    async def test_many_things_go_on_at_once(self):
        async with await box() as one:
            results = await asyncio.gather(*(one.commands.run(f"sleep 0.3; echo {number}") for number in range(25)))
            self.assertEqual([result.stdout for result in results], [f"{number}\n" for number in range(25)])
            await asyncio.gather(*(one.files.write(f"/root/{number}", "x" * 100_000) for number in range(25)))
            self.assertEqual(len(await one.files.list("/root")), len({entry.name for entry in await one.files.list("/root")}))
            self.assertEqual((await one.commands.run("cat /root/[0-9]* | wc -c")).stdout.strip(), "2500000")

    async def test_the_loop_goes_on_while_a_command_runs(self):
        async with await box() as one:
            ticks = 0

            async def tick():
                nonlocal ticks
                while True:
                    ticks += 1
                    await asyncio.sleep(0.01)

            ticking = asyncio.ensure_future(tick())
            await one.commands.run("sleep 0.5")
            ticking.cancel()
            self.assertGreater(ticks, 10)

    async def test_listeners_may_be_coroutines(self):
        async with await box() as one:
            heard = []

            async def listen(text):
                await asyncio.sleep(0)
                heard.append(text)

            await one.commands.run("echo one; sleep 0.1; echo two", on_stdout=listen)
            self.assertEqual("".join(heard), "one\ntwo\n")
            job = await one.commands.run("echo three", background=True, on_stdout=listen)
            await job.wait()
            self.assertEqual(heard[-1], "three\n")
            told = []
            await one.files.write("/root/x", bytes(1 << 20), on_progress=lambda done, total: told.append(done))
            self.assertEqual(told[-1], 1 << 20)

    async def test_what_is_cancelled_is_ended(self):
        async with await box() as one:
            for listener in (None, lambda text: None):
                running = asyncio.ensure_future(one.commands.run("touch /root/begun; exec sleep 1000", on_stdout=listener))
                await eventually(lambda: one.files.exists("/root/begun"))
                running.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await running

                async def is_over():
                    return "sleep1000" not in (await one.commands.run("cat /proc/[0-9]*/cmdline | tr -d '\\0'")).stdout

                await eventually(is_over)
                await one.files.remove("/root/begun")
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(one.commands.run("exec sleep 1000"), 0.3)
            self.assertEqual((await one.commands.run("echo fine")).stdout, "fine\n")

    async def test_handles_are_waited_for_and_found_again(self):
        async with await box() as one:
            job = await one.commands.run("cat; exit 3", background=True, stdin=True)
            with self.assertRaises(WaitTimeoutError):
                await job.wait(timeout=0.2)
            await job.send_stdin("typed\n")
            pieces = job.output()
            self.assertEqual((await pieces.__anext__()).text, "typed\n")
            pieces.close()
            await job.close_stdin()
            with self.assertRaises(CommandFailedError):
                await (await one.commands.connect(job.command_id)).wait(check=True)
            shown = []
            terminal = await one.pty.create(on_data=shown.append, cmd="stty size; exit 2", cols=99, rows=11)
            self.assertEqual((await terminal.wait()).exit_code, 2)
            self.assertEqual(b"".join(shown).strip(), b"11 99")

    async def test_files_streams_and_watches(self):
        async with await box() as one:
            await one.files.write("/root/much", bytes(3 << 20))
            count = 0
            async with await one.files.read("/root/much", format="stream") as pieces:
                async for piece in pieces:
                    count += len(piece)
            self.assertEqual(count, 3 << 20)
            with tempfile.TemporaryDirectory() as directory:
                Path(directory, "in").mkdir()
                Path(directory, "in", "file").write_text("there and back")
                await one.files.upload_dir(Path(directory, "in"), "/srv/in")
                await one.files.download_dir("/srv/in", Path(directory, "out"))
                self.assertEqual(Path(directory, "out", "file").read_text(), "there and back")
                await one.files.download("/root/much", Path(directory, "much"))
                self.assertEqual(Path(directory, "much").stat().st_size, 3 << 20)
            async with await one.files.watch_dir("/root") as watch:
                await one.files.write("/root/new", "")
                async for event in watch:
                    if event.path == "new":
                        break

    async def test_snapshots_forks_races_and_names(self):
        name = unique("loop")
        async with await box() as one:
            await one.files.write("/root/state", "1")
            taken = await one.create_snapshot(metadata={"of": name}, disk_only=True)
            try:
                self.assertEqual([each.snapshot_id async for each in AsyncSandbox.list_snapshots(limit=1, metadata={"of": name})], [taken.snapshot_id])

                async def way(copy):
                    await copy.files.write("/root/way", "by a coroutine")

                race = await AsyncSandbox.race_snapshot(taken, way, "exit 1", name=name)
                async with race.winner as winner:
                    self.assertEqual(await winner.files.read("/root/way"), "by a coroutine")
                    self.assertEqual([each.name async for each in AsyncSandbox.list(name=name)], [winner.name])
                for copy in await one.fork(2):
                    await copy.kill()
                manager = AsyncSandboxManager()
                restored = await manager.restore(name, taken.snapshot_id)
                self.assertEqual((await restored.run_cmd("cat /root/state"))["output"], "1")
                await restored.destroy()
            finally:
                await AsyncSandbox.delete_snapshot(taken)
        with self.assertRaises(SandboxNotFoundError):
            await one.get_info()
        volume = await AsyncVolume.create(name, size_mb=16)
        await volume.delete()

    async def test_a_client_of_its_own_is_closed(self):
        async with AsyncClient(request_timeout=30) as client:
            async with await box(client=client) as one:
                self.assertIn("sandglass", await one.get_host(80))
        with self.assertRaises(DaemonUnreachableError):
            await AsyncSandbox.connect("any", url="unix:///nowhere")


class LoopsTest(unittest.TestCase):
    def test_one_loop_after_the_other_uses_the_same_daemon(self):
        async def use():
            async with await box(memory_mb=64, network="none") as one:
                return (await one.commands.run("echo fine")).stdout

        self.assertEqual([asyncio.run(use()) for _ in range(3)], ["fine\n"] * 3)


if __name__ == "__main__":
    unittest.main()
