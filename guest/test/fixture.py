# SPDX-License-Identifier: Apache-2.0
"""An agent that runs for a test, and the words in which tests are written. Standard library only."""
import errno, os, subprocess, time

from daemon import *

TESTS = []
MASK = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 10  # CHOWN DAC_OVERRIDE FOWNER KILL SETGID SETUID NET_BIND_SERVICE


def test(function):
    TESTS.append(function)
    return function


class Agent:
    def __init__(self, binary, first_process, directory, share):
        self.directory, self.first_process, self.share = directory, first_process, share
        for name in ("in", "out"):
            path = f"{directory}/{name}"
            if os.path.exists(path):
                os.unlink(path)
            os.mkfifo(path)
        into, reader = (os.open(f"{directory}/{name}", os.O_RDWR) for name in ("in", "out"))
        out = os.open(f"{directory}/out", os.O_WRONLY)  # as the daemon does it: without a reader the agent gets EPIPE
        wrapper = ["unshare", "--pid", "--fork", "--mount", "--mount-proc", "--kill-child"] if first_process else []
        self.errors = open(f"{directory}/log", "w+b")
        leak = os.open("/etc/hostname", os.O_RDONLY)  # a descriptor that a careless runtime left open
        os.set_inheritable(leak, True)
        self.process = subprocess.Popen(wrapper + [binary], stdin=into, stdout=out, stderr=self.errors, close_fds=False)
        os.close(into), os.close(out), os.close(reader), os.close(leak)

    def daemon(self, **options):
        return Daemon(self.directory + "/in", self.directory + "/out").hello(share=self.share, **options)

    def log(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")


class Context:
    def __init__(self, agent, daemon, scratch):
        self.agent, self.d, self.scratch = agent, daemon, scratch
        self.first_process, self.share = agent.first_process, agent.share

    def path(self, name):
        return f"{self.scratch}/{name}"


def raises(kind, number, action, *words):
    try:
        action()
    except kind as problem:
        numbers = number if isinstance(number, tuple) else (number,)
        assert problem.errno in numbers, f"{problem} (expected: {[errno.errorcode[n] for n in numbers]})"
        for word in words:
            assert word in problem.text, f"{problem} (expected: {word!r} in it)"
        return problem
    raise AssertionError(f"no {kind.__name__} (expected: errno {number})")


def wait_for(condition, what, timeout=30):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"waited for {what}"
        time.sleep(0.01)


def agent_pid(c):
    """As seen from here."""
    pid = c.agent.process.pid
    if not c.first_process:
        return pid
    return int(open(f"/proc/{pid}/task/{pid}/children").read().split()[0])


def worker_pids(c):
    """Of workers that live: children that run the agent's own program."""
    pid, found = agent_pid(c), []
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        try:
            if os.readlink(f"/proc/{child}/exe") == os.readlink(f"/proc/{pid}/exe"):
                found.append(int(child))
        except FileNotFoundError:
            pass  # just ended
    return found
