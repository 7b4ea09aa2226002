"""Commands: what they print, read and end with, in the foreground and the background, and what becomes of them."""

import threading
import unittest

from support import Relay, SandboxTest, eventually, on_each_runtime, unique

from sandglass import (
    Client,
    CommandFailedError,
    CommandNotFoundError,
    InvalidRequestError,
    Sandbox,
    SandglassError,
    WaitTimeoutError,
)


class CommandTest(SandboxTest):
    @on_each_runtime
    def test_what_it_prints_is_told_as_it_comes(self, runtime):
        box = self.sandbox(runtime=runtime)
        heard = []

        def listen(text):
            heard.append(text)
            if text == "one\n":
                box.files.write("/root/heard", "")  # it ends only if this was told while it runs

        result = box.commands.run(
            "echo one; until [ -e /root/heard ]; do sleep 0.02; done; echo two; echo three >&2; exit 4",
            on_stdout=listen,
            on_stderr=lambda text: heard.append("error: " + text),
        )
        self.assertEqual(sorted(heard), ["error: three\n", "one\n", "two\n"])
        self.assertEqual((result.stdout, result.stderr, result.exit_code), ("one\ntwo\n", "three\n", 4))

    @on_each_runtime
    def test_much_output_is_whole_for_who_listens_and_bounded_for_the_result(self, runtime):
        box = self.sandbox(runtime=runtime)
        size = 20_000_000
        line = f"head -c {size} /dev/zero | tr '\\0' x; echo end >&2"
        told = box.commands.run(line)
        self.assertEqual((len(told.stdout), told.stdout_truncated, told.stderr, told.stderr_truncated), (1 << 24, True, "end\n", False))
        heard = []
        told = box.commands.run(line, on_stdout=lambda text: heard.append(len(text)))
        self.assertEqual((sum(heard), len(told.stdout), told.stdout_truncated), (size, 1 << 24, True))

    def test_letters_are_not_cut_in_pieces(self):
        box = self.sandbox()
        heard = []
        text = "grüße ☃ 🎉" * 20_000
        box.files.write("/root/text", text)
        result = box.commands.run("cat /root/text", on_stdout=heard.append)
        self.assertEqual("".join(heard), text)
        self.assertEqual(result.stdout, text)
        self.assertEqual(box.commands.run("printf 'a\\377b'").stdout, "a\ufffdb")

    @on_each_runtime
    def test_its_input_is_read_to_its_end(self, runtime):
        box = self.sandbox(runtime=runtime)
        self.assertEqual(box.commands.run("cat", stdin="a text").stdout, "a text")
        self.assertEqual(box.commands.run("cat").stdout, "")
        much = "0123456789" * 300_000
        self.assertEqual(box.commands.run("cat", stdin=much).stdout, much)
        self.assertEqual(box.commands.run("od -An -tx1", stdin=b"\x00\xff").stdout.split(), ["00", "ff"])
        self.assertEqual(box.commands.run("head -c 3", stdin=much).stdout, "012")
        self.assertEqual(box.commands.run("exec true", stdin=b"not read").exit_code, 0)

    @on_each_runtime
    def test_it_goes_on_in_the_background(self, runtime):
        box = self.sandbox(runtime=runtime)
        job = box.commands.run("while read line; do echo got $line; done; exit 5", background=True, stdin=True)
        self.assertIsNone(job.exit_code)
        self.assertIn(job.command_id, [each.command_id for each in box.commands.list() if each.state == "running"])
        job.send_stdin("a\n")
        with self.assertRaises(WaitTimeoutError) as late:
            job.wait(timeout=0.2)
        self.assertIsInstance(late.exception, TimeoutError)
        pieces = job.output()
        self.assertEqual(next(pieces).text, "got a\n")
        same = box.commands.connect(job.command_id)
        same.send_stdin(b"b\n")
        self.assertEqual(next(pieces).text, "got b\n")
        pieces.close()
        same.close_stdin()
        for handle in (job, same, job):
            result = handle.wait()
            self.assertEqual((result.stdout, result.exit_code, handle.exit_code), ("got a\ngot b\n", 5, 5))
        self.assertFalse(job.kill())
        self.assertEqual(next(each for each in box.commands.list() if each.command_id == job.command_id).exit_code, 5)

    def test_who_listens_to_it_in_the_background_hears_all(self):
        box = self.sandbox()
        heard = []
        job = box.commands.run("for i in $(seq 1000); do echo $i; done", background=True, on_stdout=heard.append)
        self.assertEqual(job.wait(timeout=60).exit_code, 0)
        self.assertEqual("".join(heard).split(), [str(number) for number in range(1, 1001)])

    def test_a_listener_that_fails_fails_the_call_and_ends_the_command(self):
        box = self.sandbox()

        def listen(text):
            raise LookupError("of the listener")

        with self.assertRaises(LookupError):
            box.commands.run("echo something; exec sleep 1000", on_stdout=listen)
        eventually(lambda: all(each.state == "exited" for each in box.commands.list()))

    @on_each_runtime
    def test_it_is_ended_by_signals_and_by_its_time(self, runtime):
        box = self.sandbox(runtime=runtime)
        job = box.commands.run("trap 'echo ended; exit 6' TERM; echo ready; while :; do sleep 0.05; done", background=True)
        pieces = job.output()
        self.assertEqual(next(pieces).text, "ready\n")
        self.assertTrue(job.kill("TERM"))
        self.assertEqual(job.wait().exit_code, 6)
        job = box.commands.run(["sleep", "1000"], background=True)
        self.assertTrue(box.commands.kill(job.command_id))
        self.assertEqual(job.wait().exit_code, 137)
        late = box.commands.run("echo begun; exec sleep 1000", timeout=0.5)
        self.assertEqual((late.stdout, late.exit_code, late.reason), ("begun\n", 124, "timeout"))
        late = box.commands.run("exec sleep 1000", timeout=0.5, on_stdout=print)
        self.assertEqual((late.exit_code, late.reason), (124, "timeout"))

    def test_an_end_is_an_error_for_who_asks_for_that(self):
        box = self.sandbox()
        with self.assertRaises(CommandFailedError) as failed:
            box.commands.run("echo one; echo the reason >&2; exit 9", check=True)
        self.assertEqual((failed.exception.code, failed.exception.result.exit_code), ("command_failed", 9))
        self.assertIn("the reason", str(failed.exception))
        self.assertEqual(box.commands.run("true", check=True).exit_code, 0)

    def test_what_cannot_be_run_is_told_by_its_code(self):
        box = self.sandbox()
        for words, code in ((["no-such-program"], "program_not_found"), (["/etc/passwd"], "command_refused")):
            with self.subTest(words), self.assertRaises(SandglassError) as refused:
                box.commands.run(words)
            self.assertEqual(refused.exception.code, code)
        for words in ([], [1], None, 5):
            with self.subTest(words), self.assertRaises((InvalidRequestError, TypeError)):
                box.commands.run(words)
        with self.assertRaises(InvalidRequestError):
            box.commands.run("true", timeout=-1)
        with self.assertRaises(InvalidRequestError):
            box.commands.run("cat", stdin=True)
        with self.assertRaises(CommandNotFoundError):
            box.commands.connect("cmd-99999")

    def test_what_runs_out_of_memory_is_told_so(self):
        box = self.sandbox(memory_mb=64)
        told = box.commands.run("python3 -c 'x = b\"x\" * (1 << 30)'")
        self.assertEqual((told.exit_code, told.reason), (137, "oom"))
        self.assertIn("64 MB", told.message)

    def test_output_goes_on_where_the_connection_broke(self):
        relay = Relay()
        self.addCleanup(relay.close)
        box = Sandbox.connect(self.sandbox().sandbox_id, client=Client(relay.url, relay.api_key))
        heard = []

        def listen(text):
            heard.append(text)
            if len(heard) in (2, 30):
                relay.cut()

        result = box.commands.run("for i in $(seq 200); do echo $i; sleep 0.01; done", on_stdout=listen)
        self.assertEqual("".join(heard).split(), [str(number) for number in range(1, 201)])
        self.assertEqual((result.exit_code, result.stdout, result.stdout_truncated), (0, "".join(heard), False))
        self.assertGreater(relay.connections, 2)

    def test_one_whose_caller_is_gone_is_gone(self):
        relay = Relay()
        self.addCleanup(relay.close)
        box = self.sandbox()
        over = Sandbox.connect(box.sandbox_id, client=Client(relay.url, relay.api_key))
        mark = unique("mark")
        failed = []

        def run():
            try:
                over.commands.run(f"touch /root/begun; exec -a {mark} sleep 1000")
            except SandglassError as problem:
                failed.append(problem)

        thread = threading.Thread(target=run)
        thread.start()
        eventually(lambda: box.files.exists("/root/begun"))
        relay.cut()
        thread.join(60)
        self.assertEqual(failed[0].code, "daemon_unreachable")
        eventually(lambda: all(each.state == "exited" for each in box.commands.list()) and mark not in box.commands.run("cat /proc/[0-9]*/cmdline").stdout)

    @on_each_runtime
    def test_many_run_at_once(self, runtime):
        box = self.sandbox(runtime=runtime)
        jobs = [box.commands.run(f"sleep 0.2; echo {number}", background=True) for number in range(20)]
        self.assertEqual([job.wait().stdout for job in jobs], [f"{number}\n" for number in range(20)])


class PtyTest(SandboxTest):
    @on_each_runtime
    def test_a_shell_in_a_terminal(self, runtime):
        box = self.sandbox(runtime=runtime)
        shown = []
        terminal = box.pty.create(100, 30, on_data=shown.append)
        terminal.send_stdin("stty size; tty; echo $TERM\n")
        eventually(lambda: b"30 100" in b"".join(shown) and b"xterm-256color" in b"".join(shown))
        terminal.resize(132, 43)
        terminal.send_stdin("stty size; exit 7\n")
        result = terminal.wait(timeout=60)
        self.assertEqual(result.exit_code, 7)
        self.assertIn(b"43 132", b"".join(shown))
        self.assertIn("/dev/pts/", result.stdout)
        self.assertTrue(all(isinstance(each, bytes) for each in shown))

    def test_one_is_found_again_and_ended(self):
        box = self.sandbox()
        terminal = box.pty.create(cmd=["cat"], user="user", cwd="/tmp")
        again = box.pty.connect(terminal.command_id)
        again.send_stdin("typed\n")
        piece = next(again.output())
        self.assertEqual((piece.stream, piece.text[:5]), ("stdout", "typed"))
        self.assertTrue(again.kill())
        self.assertEqual(terminal.wait().exit_code, 137)
        with self.assertRaises(SandglassError) as ended:
            terminal.resize(80, 24)
        self.assertEqual(ended.exception.code, "command_ended")


if __name__ == "__main__":
    unittest.main()
