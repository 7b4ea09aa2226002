#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every message of docs/guest-protocol.md against a real agent over two FIFOs, as PID 1 of a fresh pid namespace and as a plain process.
Runs as root in namespaces of its own (processes, mounts, network, host name), so nothing outside can be touched: an agent that is
not PID 1 signals what it sees. Standard library only.
Arguments: the checked agent, the release agent, then names of tests to run only those."""
import ctypes, errno, fcntl, io, os, random, signal, socket, stat, struct, subprocess, sys, tarfile, tempfile, threading, time, traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
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


# --- the link -------------------------------------------------------------------------------------------------------------------

@test
def the_link_says_who_it_is(c):
    assert c.d.version == 2 and c.d.facts[1] and c.d.facts[2].decode() == os.uname().release
    c.d.ping(b""), c.d.ping(b"x" * 64)


@test
def a_new_daemon_finds_everything_again(c):
    """A daemon dies in the middle of reading; the next one finds its commands, finished and running, and what they said."""
    d = c.d
    running = d.start("/bin/sh", "-c", "echo before; read line; echo got $line; read line; exit 7", stdin=True, directory="/tmp")
    running.wait_output("before")
    finished = d.start("/bin/sh", "-c", "echo out; echo err >&2; exit 3")
    finished.wait()
    talker = d.start("/bin/sh", "-c", "while :; do echo talk; done")
    talker.wait_output("talk")
    upload = d.file(WRITE, c.path("cut-off"), flags=8)
    upload.data(b"half of it")
    pid = running.started[0]
    d.quiet(0.1)
    talker.auto = False
    d.send(CREDIT, talker.number, u32(1 << 30))  # fills the FIFO, nobody reads
    time.sleep(0.2)
    os.read(d.out, 1001)  # half a frame
    d.disappear()
    time.sleep(0.1)
    d = c.d = c.agent.daemon(mask=MASK, step=40)
    first, last = d.log.index((WELCOME, 0)), d.log.index((READY, 0))
    assert all(kind == COMMAND for kind, _ in d.log[first + 1:last])
    assert d.next > upload.number
    again = d.streams[running.number].command
    assert again.pid == pid and again.arguments[0] == b"/bin/sh" and not again.exit and again.flags == 2
    assert again.directory == b"/tmp" and again.user == b"root" and again.end == 7 and again.credit == 65536
    done = d.streams[finished.number].command
    assert done.flags & 4 and done.exit.status == 3 and done.exit.end == done.end == 8
    assert upload.number not in d.streams and not os.path.exists(c.path("cut-off"))
    wait_for(lambda: not [n for n in os.listdir(c.scratch) if "cut-off" in n], "the temporary file to go")
    stream = d.streams[running.number]
    stream.attach(3)
    stream.data(b"hello\n")
    stream.wait_output("got hello")
    assert bytes(stream.out).startswith(b"ore\n")
    stream.data(b"\n")
    assert stream.wait().status == 7
    old = d.streams[finished.number]
    old.attach(0)
    assert old.wait().status == 3 and sorted(bytes(old.out + old.err).split()) == [b"err", b"out"]
    for number in (running.number, finished.number):
        d.streams[number].close()
    d.streams[talker.number].attach(1 << 60)
    d.streams[talker.number].signal(signal.SIGKILL)
    d.streams[talker.number].wait()
    d.streams[talker.number].close()
    d.ping()
    assert not d.hello(mask=MASK).streams[running.number].command or True
    d.streams.clear()
    d.hello(mask=MASK)
    assert not d.streams, "closed commands are forgotten"


@test
def garbage_on_the_link_ends_with_the_next_hello(c):
    for garbage in (b"\xff" * 333, b"\0" * 4096, os.urandom(5000), b"sandglass-guest\0" * 20):
        os.write(c.d.into, garbage)
        c.d.hello(mask=MASK)
        c.d.ping()
    c.d.send(PING, 0, b"x" * 65)  # one byte too long: everything up to HELLO is lost
    c.d.send(PING, 0, b"lost")
    c.d.hello(mask=MASK)
    assert b"lost" not in c.d.pongs


@test
def a_split_request_works_and_a_huge_one_is_refused(c):
    big = "x" * 100000
    assert c.d.shell(f"echo {big}", step=1000).strip() == big
    stream = c.d.start("/bin/echo", *["y" * 100000] * 11)
    raises(Refused, errno.EMSGSIZE, stream.wait)
    c.d.ping()
    argument = ["z" * 120000] * 5
    assert bytes(c.d.run("/bin/echo", *argument).out) == (" ".join(argument) + "\n").encode()


@test
def too_many_streams_are_refused(c):
    streams = [c.d.connect(9, credit=0) for _ in range(10)]  # refused by the port, not by the count
    for stream in streams:
        raises(Refused, errno.ECONNREFUSED, stream.wait)
    held = [c.d.start("/bin/true", attach=False) for _ in range(40)]
    for stream in held:
        stream.attach()
        stream.wait()
        stream.close()
    c.d.ping()


# --- commands -------------------------------------------------------------------------------------------------------------------

@test
def output_status_and_usage_come_back(c):
    before = int(time.time() * 1000)
    stream = c.d.run("/bin/sh", "-c", "echo out; echo err >&2; exit 42")
    assert bytes(stream.out) == b"out\n" and bytes(stream.err) == b"err\n" and stream.exit.status == 42
    assert stream.exit.end == 8 and stream.exit.peak > 100 and abs(stream.exit.time - before) < 10000
    assert c.d.run("/bin/sh", "-c", "kill -9 $$").exit.status == -9
    busy = c.d.run("/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done").exit
    assert busy.user + busy.system > 1000


@test
def what_cannot_start_says_why(c):
    open(c.path("text"), "w").write("no program"), os.chmod(c.path("text"), 0o755)
    open(c.path("plain"), "w").close()
    raises(Refused, errno.ENOENT, lambda: c.d.run("no-such-program"), "no-such-program")
    raises(Refused, errno.ENOENT, lambda: c.d.run("/no/such/program"))
    raises(Refused, errno.EACCES, lambda: c.d.run(c.path("plain")), "plain")
    raises(Refused, errno.ENOEXEC, lambda: c.d.run(c.path("text")))
    raises(Refused, errno.ENOENT, lambda: c.d.run("true", directory="/no/such"), "working directory /no/such")
    raises(Refused, errno.ENOTDIR, lambda: c.d.run("true", directory="/etc/passwd"), "working directory")
    raises(Refused, errno.EINVAL, lambda: c.d.run("true", user="nonesuch"), "unknown user nonesuch")
    raises(Refused, errno.EINVAL, lambda: c.d.run())
    raises(Refused, errno.EINVAL, lambda: c.d.run("true", environment=["novalue"]))
    raises(Refused, errno.EINVAL, lambda: c.d.run(b"tr\0ue"))


@test
def the_environment_is_made_in_layers(c):
    c.d.settings(field(6, b"A=settings"), field(6, b"B=settings"))
    lines = c.d.shell("env", environment=["B=request", "HOME=/somewhere"]).split("\n")
    for line in ("A=settings", "B=request", "HOME=/somewhere", "USER=root", "LOGNAME=root", "SHELL=/bin/bash"):
        assert line in lines, f"{line} is not in {lines}"
    assert not [line for line in lines if line.startswith("TERM=")]
    assert "TERM=xterm-256color" in c.d.shell("env", pty=(80, 24)).replace("\r", "").split("\n")
    c.d.settings(field(6, b""))
    assert "A=" not in c.d.shell("env")
    assert c.d.shell("pwd").strip() == "/root" and c.d.shell("pwd", directory="/usr").strip() == "/usr"


@test
def users_and_groups_are_those_of_the_sandbox(c):
    assert c.d.shell("id -u; id -g; id -G; pwd; umask", user="user").split() == ["1000", "1000", "1000", "27", "/home/user", "0022"]
    assert c.d.shell("id -u; id -G", user="1000").split() == ["1000", "1000", "27"]
    assert c.d.shell("id -u; id -G; pwd", user="4321").split() == ["4321", "4321", "/"]
    assert c.d.shell("id -u; id -G", user="user:audio").split() == ["1000", "29"]
    assert c.d.shell("id -u; id -G", user="7:8").split() == ["7", "8"]


def status_of(c, **options):
    text = c.d.shell("cat /proc/self/status", **options)
    return {line.split(":")[0]: line.split(":")[1].strip() for line in text.splitlines() if ":" in line}


@test
def a_command_is_never_stronger_than_the_settings(c):
    full = {line.split(":")[0]: line.split(":")[1].strip() for line in open("/proc/self/status") if line.startswith("Cap")}
    assert int(full["CapBnd"], 16) & ~MASK, "this test must run with more than the mask"
    wanted = f"{MASK:016x}"
    for pty in (None, (80, 24)):
        found = status_of(c, pty=pty)
        assert found["CapBnd"] == found["CapPrm"] == found["CapEff"] == wanted, found
        assert int(found["CapInh"], 16) == int(found["CapAmb"], 16) == 0 and found["NoNewPrivs"] == "1"
        assert int(found["SigBlk"], 16) == 0 and int(found["SigIgn"], 16) == 0, found
        found = status_of(c, user="user", pty=pty)
        assert found["CapBnd"] == wanted and int(found["CapPrm"], 16) == int(found["CapEff"], 16) == int(found["CapInh"], 16) == 0
    c.d.settings(field(1, u64(0)), field(2, u8(0)))
    found = status_of(c)
    assert int(found["CapBnd"], 16) == int(found["CapPrm"], 16) == 0 and found["NoNewPrivs"] == "0"
    c.d.settings(field(1, u64(MASK)), field(2, u8(1)))
    wait_for(lambda: not worker_pids(c), "older workers to end")
    worker = c.d.file(WATCH, c.scratch)
    c.d.until(lambda: worker.out)
    status = [open(f"/proc/{pid}/status").read() for pid in worker_pids(c)]
    assert status and all(f"CapBnd:\t{wanted}" in text and "NoNewPrivs:\t1" in text for text in status)
    worker.close()


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


@test
def only_the_three_standard_descriptors_are_inherited(c):
    assert c.d.shell("ls /proc/self/fd").split() == ["0", "1", "2", "3"]  # 3 is the listing itself
    wait_for(lambda: not worker_pids(c), "older workers to end")
    worker = c.d.file(WATCH, c.scratch)
    c.d.until(lambda: worker.out)
    for pid in worker_pids(c):
        found = sorted(int(name) for name in os.listdir(f"/proc/{pid}/fd"))
        assert found == [0, 1, 2, 3], f"{found}, 3 is its inotify"
    worker.close()
    ours = open("/proc/self/oom_score_adj").read().strip()
    expected = ours if c.share else 500  # one that shares the agent's memory would set the agent's
    score = c.d.shell("cat /proc/self/oom_score_adj").strip()
    assert score == str(expected), f"{score} (expected: {expected})"


@test
def no_command_beyond_the_process_limit(c):
    c.d.settings(field(7, u64(1)))
    assert raises(Refused, errno.EAGAIN, lambda: c.d.run("/bin/true"), "process limit").what == 4
    c.d.settings(field(7, u64(0)))
    assert c.d.run("/bin/true").exit.status == 0


@test
def what_was_refused_is_told(c):
    assert raises(Refused, errno.ENOENT, lambda: c.d.run("no-such-program")).what == 1
    assert raises(Refused, errno.EACCES, lambda: c.d.run("/etc/passwd")).what == 1
    assert raises(Refused, errno.ENOENT, lambda: c.d.run("/bin/true", directory="/nowhere")).what == 2
    assert raises(Refused, errno.EINVAL, lambda: c.d.run("/bin/true", user="nobody-here")).what == 3


@test
def root_cannot_look_into_the_agent(c):
    """With the capabilities of the settings only. As a plain process its number is not 1, but the rest holds too."""
    pid = 1 if c.first_process else agent_pid(c)
    for name in ("fd/0", "fd/8", "fd/9", "mem", "environ"):
        out = c.d.run("/bin/sh", "-c", f"timeout 2 head -c 1 /proc/{pid}/{name}")
        assert out.exit.status != 0 and not out.out and b"enied" in out.err or b"No such" in out.err, (name, bytes(out.err))
    # A descriptor of the link, if it could be opened for writing, would show here.
    c.d.shell(f"for n in 8 9; do echo x > /proc/{pid}/fd/$n; done")
    c.d.ping()


@test
def standard_input_has_credit_and_an_end(c):
    data = os.urandom(1 << 20)
    stream = c.d.start("/bin/cat", stdin=True)
    stream.data(data)
    stream.eof()
    stream.wait()
    assert bytes(stream.out) == data
    stream.close()
    assert c.d.run("/bin/cat").exit.status == 0  # end-of-file at once
    closed = c.d.start("/bin/sh", "-c", "exec <&-; echo closed; sleep 0.5", stdin=True)
    closed.wait_output("closed")
    closed.data(b"x" * 500000)  # dropped, but the credit comes back
    closed.wait()
    blocked = c.d.start("/bin/sleep", "60", stdin=True)
    blocked.data(b"x" * 65536)
    c.d.quiet(0.2)
    assert blocked.room <= 65536, "a pipe holds 64 KiB, the agent 64 KiB more"
    blocked.signal(9)
    blocked.wait()


@test
def hold_attach_detach_and_replay(c):
    held = c.d.start("/bin/sh", "-c", "echo early; head -c 100000 /dev/zero; echo end", keep=4096, attach=False)
    held.wait_started()
    c.d.quiet(0.3)
    assert not held.out and not held.exit, "nothing before ATTACH, and nothing is lost"
    held.attach(0)
    held.wait()
    assert len(held.out) == 6 + 100000 + 4
    free = c.d.start("/bin/sh", "-c", "head -c 100000 /dev/zero; echo tail", keep=4096, hold=False, attach=False)
    assert free.wait().end == 100005 and not free.out
    free.attach(0)
    free.exit = None
    free.wait()
    assert len(free.out) == 4096 and free.all[0][1] == 100005 - 4096 and bytes(free.out).endswith(b"tail\n")
    free.attach(100000)
    free.exit = None
    free.out.clear()
    free.wait()
    assert bytes(free.out) == b"tail\n"
    free.close()
    detached = c.d.start("/bin/sh", "-c", "echo one; read x; echo two; read x; echo three", stdin=True)
    detached.wait_output("one")
    detached.detach()
    detached.data(b"\n")
    c.d.quiet(0.2)
    assert b"two" not in detached.out
    detached.attach(4)
    detached.wait_output("two")
    detached.data(b"\n")
    assert detached.wait().end == 14 and bytes(detached.out) == b"one\ntwo\nthree\n"
    quiet = c.d.start("/bin/echo", "x", attach=False)
    quiet.wait_started()
    c.d.quiet(0.1)
    assert not quiet.exit
    quiet.detach()
    quiet.wait()


@test
def a_slow_reader_stalls_nobody_else(c):
    slow = c.d.start("/bin/sh", "-c", "yes | head -c 3000000", attach=False)
    slow.auto = False
    slow.attach(0, 1000)
    upload = c.d.file(WRITE, c.path("stalled"))  # a worker that is never fed
    reader = c.d.file(READ, "/bin/bash", credit=0)
    fast = c.d.run("/bin/sh", "-c", "yes | head -c 20000000")
    assert len(fast.out) == 20000000
    began = time.monotonic()
    for _ in range(10):
        c.d.ping()
    assert time.monotonic() - began < 20
    assert len(slow.out) == 1000 and not reader.out
    slow.auto = True
    slow.credit(100000)
    slow.wait()
    assert len(slow.out) == 3000000
    reader.credit(4096)
    reader.wait()
    upload.close(), slow.close()


@test
def a_time_limit_kills_the_session(c):
    began = time.monotonic()
    stream = c.d.run("/bin/sh", "-c", "sleep 60 & (sleep 60; echo never) & trap '' TERM; sleep 60", limit=300)
    assert 0.25 < time.monotonic() - began < 50
    assert stream.exit.flags == 1 and stream.exit.status == -9
    assert c.d.run("/bin/echo", limit=60000).exit.flags == 0


@test
def signals_go_to_the_group_and_kill_to_the_session(c):
    stream = c.d.start("/bin/sh", "-c", "trap 'echo caught; exit 5' USR1; sleep 60 & echo ready; wait")
    stream.wait_output("ready")
    stream.signal(signal.SIGUSR1)
    stream.wait()
    assert stream.exit.status == 5 and b"caught" in stream.out
    stream = c.d.start("python3", "-c", "import os,time\nif os.fork()==0:\n os.setpgid(0,0); print('child',os.getpid(),flush=True); time.sleep(60)\ntime.sleep(60)")
    stream.wait_output("child")
    c.d.quiet(0.05)
    child = int(bytes(stream.out).split()[1])
    assert c.d.run("/bin/kill", "-0", str(child)).exit.status == 0
    stream.signal(signal.SIGKILL)
    assert stream.wait().status == -9
    wait_for(lambda: c.d.run("/bin/kill", "-0", str(child)).exit.status != 0, "another group of the session to die")
    stream.signal(signal.SIGTERM)  # of a finished command: nothing happens
    stream.close()


@test
def signals_of_the_agent_reach_its_commands(c):
    stream = c.d.start("/bin/sh", "-c", "trap 'echo hup; exit 6' HUP; echo ready; while :; do sleep 0.05; done")
    stream.wait_output("ready")
    os.kill(agent_pid(c), signal.SIGHUP)
    assert stream.wait().status == 6


@test
def a_terminal_has_a_size_and_a_user(c):
    stream = c.d.start("/bin/sh", "-c", "tty; stty size; ls -l $(tty) | cut -d' ' -f3; trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done",
                       pty=(81, 25), user="user")
    stream.wait_output("ready")
    assert b"/dev/pts/" in stream.out and b"25 81" in stream.out and b"user" in stream.out, bytes(stream.out)
    stream.resize(120, 40)
    stream.wait()
    assert b"40 120" in stream.out and not stream.err
    stream = c.d.start("/bin/sh", "-c", "cat; echo status $?", pty=(80, 24), stdin=True)
    stream.data(b"line\n")
    stream.wait_output("line\r\nline\r\n")
    stream.eof()
    stream.wait_output("status 0")
    stream.wait()
    stream = c.d.start("/bin/sh", "-c", "trap 'echo interrupted; exit 9' INT; echo ready; while :; do sleep 0.05; done", pty=(80, 24), stdin=True)
    stream.wait_output("ready")
    stream.data(b"\x03")
    assert stream.wait().status == 9 and b"interrupted" in stream.out
    big = c.d.run("/bin/sh", "-c", "seq 1 20000; echo done", pty=(80, 24))
    assert bytes(big.out).endswith(b"20000\r\ndone\r\n") and big.exit.end == len(big.out)


@test
def what_a_command_leaves_behind_goes_on(c):
    """EXIT comes although a child holds the pipes, and that child does not die of SIGPIPE."""
    mark, word = c.path("left-behind"), c.path("go-on")
    stays = f"while [ ! -e {word} ]; do sleep 0.05; done"
    stream = c.d.start("/bin/sh", "-c", f"({stays}; for i in 1 2 3 4 5; do echo late; done; touch {mark}) & echo now")
    assert stream.wait().end == 4 and bytes(stream.out) == b"now\n"
    stream.close()
    open(word, "w").close()
    wait_for(lambda: os.path.exists(mark), "what was left behind to finish")
    loud = c.d.start("/bin/sh", "-c", "(while :; do echo spam; done) & echo $!; exit 4")
    assert loud.wait().status == 4
    loud.close()
    c.d.ping()
    c.d.run("/bin/kill", "-9", bytes(loud.out).split()[0].decode())
    os.unlink(word)
    terminal = c.d.start("/bin/sh", "-c", f"(trap '' HUP; {stays}) & echo shown", pty=(80, 24))
    terminal.wait()
    assert b"shown" in terminal.out
    terminal.close()
    open(word, "w").close()


@test
def orphans_are_reaped(c):
    c.d.shell("for i in 1 2 3 4 5 6 7 8; do (sleep 0.1 & ) ; done; setsid sleep 0.1 &")
    c.d.quiet(0.4)
    pid = agent_pid(c)
    def zombies():
        found = []
        for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
            text = open(f"/proc/{child}/stat").read()
            found += [child] if text.rpartition(")")[2].split()[0] == "Z" else []
        return found
    wait_for(lambda: not zombies(), "zombies to go")


@test
def many_commands_at_once(c):
    streams = [c.d.start("/bin/sh", "-c", f"echo {i}; sleep 0.2; echo {i} >&2") for i in range(150)]
    for i, stream in enumerate(streams):
        assert stream.wait().status == 0
        assert bytes(stream.out) == bytes(stream.err) == f"{i}\n".encode()
        stream.close()


@test
def finished_commands_are_kept_but_not_for_ever(c):
    streams = [c.d.start("/bin/echo", str(i)) for i in range(300)]
    for stream in streams:
        stream.wait()
    c.d.streams.clear()
    c.d.hello(mask=MASK)
    kept = sorted(c.d.streams)
    assert len(kept) == 256 and kept == [stream.number for stream in streams[44:]]
    last = c.d.streams[kept[-1]]
    last.attach(0)
    last.wait()
    assert bytes(last.out) == b"299\n"
    for number in kept:
        c.d.streams[number].close()


@test
def the_memory_guard_kills_the_greediest(c):
    small = c.d.start("/bin/sleep", "60")
    big = c.d.start("python3", "-c", "import time; b = b'x' * (60 << 20); print('full', flush=True); time.sleep(60)")
    big.wait_output("full", 20)
    c.d.settings(field(3, u64(1 << 20)))  # over it already
    exit = big.wait(5)
    c.d.settings(field(3, u64(0)))
    assert exit.status == -9 and exit.flags == 2
    small.signal(9)
    assert small.wait().flags in (0, 2)


@test
def the_host_name_is_set(c):
    c.d.settings(field(5, b"some-host"))
    assert c.d.shell("hostname").strip() == "some-host"


# --- files ----------------------------------------------------------------------------------------------------------------------

@test
def files_are_written_and_read(c):
    path = c.path("dir/deep/file")
    raises(Failed, errno.ENOENT, lambda: c.d.write(path, b"x"), "deep/file")
    entry = c.d.write(path, b"hello world", field(6, u32(0o640)), flags=1)
    assert (entry.name, entry.path, entry.kind, entry.mode, entry.size) == (b"file", path.encode(), "f", 0o640, 11)
    assert (entry.uid, entry.owner, entry.group) == (0, b"root", b"root") and abs(entry.mtime / 1e9 - time.time()) < 10
    assert c.d.read(path) == b"hello world"
    assert c.d.read(path, field(7, u64(6)), field(8, u64(3))) == b"wor"
    assert c.d.read(path, field(7, u64(100))) == b""
    c.d.write(path, b"!", flags=2)
    assert c.d.read(path) == b"hello world!"
    raises(Failed, errno.EEXIST, lambda: c.d.write(path, b"new", flags=4))
    raises(Failed, errno.EEXIST, lambda: c.d.write(path, b"new", flags=4 | 8))
    c.d.write(path, b"short")
    assert c.d.read(path) == b"short" and c.d.entry(STAT, path).mode == 0o640
    os.chown(path, 1000, 1000)
    entry = c.d.write(path, b"whole", flags=8)
    assert c.d.read(path) == b"whole" and entry.mode == 0o640 and entry.uid == 1000
    assert os.listdir(os.path.dirname(path)) == ["file"]
    os.symlink("file", path + "-link")
    c.d.write(path + "-link", b"through", flags=8)
    assert os.path.islink(path + "-link") and c.d.read(path) == b"through"
    raises(Failed, errno.EINVAL, lambda: c.d.write(path, b"x", flags=2 | 8))
    assert c.d.write(c.path("empty"), b"").size == 0
    for flags in (0, 8):
        entry = c.d.write(path, b"of old", field(14, struct.pack(">q", -1500000000)), flags=flags)
        assert entry.mtime == -1500000000 and c.d.read(path) == b"of old"


@test
def odd_files_do_not_block(c):
    os.mkfifo(c.path("pipe"))
    raises(Failed, errno.EINVAL, lambda: c.d.read(c.path("pipe")))
    raises(Failed, errno.EINVAL, lambda: c.d.write(c.path("pipe"), b"x"))
    raises(Failed, errno.EISDIR, lambda: c.d.read(c.scratch))
    raises(Failed, errno.EISDIR, lambda: c.d.write(c.scratch, b"x"))
    raises(Failed, errno.EISDIR, lambda: c.d.write(c.scratch, b"x", flags=8))
    raises(Failed, errno.EINVAL, lambda: c.d.read("/dev/null"))
    raises(Failed, errno.ENOENT, lambda: c.d.read(c.path("none")))
    assert c.d.entry(STAT, c.path("pipe")).kind == "p"


@test
def the_kernel_checks_permissions(c):
    os.chmod(c.scratch, 0o755)
    raises(Failed, errno.EACCES, lambda: c.d.read("/etc/shadow", user="user"))
    raises(Failed, errno.EACCES, lambda: c.d.write(c.path("not-mine"), b"x", user="user"))
    raises(Failed, errno.EACCES, lambda: c.d.do(REMOVE, c.path("x-root"), user="user")) if c.d.write(c.path("x-root"), b"") else None
    entry = c.d.write("~/in-home", b"mine", user="user")
    assert entry.path == b"/home/user/in-home" and entry.owner == b"user" and c.d.read("in-home", user="user") == b"mine"
    assert c.d.entry(STAT, "~", user="user").path == b"/home/user"
    raises(Refused, errno.EINVAL, lambda: c.d.read("/etc/passwd", user="nonesuch"), "unknown user")
    raises(Refused, errno.EINVAL, lambda: c.d.do(99, "/"))
    raises(Refused, errno.EINVAL, lambda: c.d.do(STAT, ""))


@test
def a_cancelled_operation_leaves_nothing(c):
    os.mkdir(c.path("cancelled"))
    upload = c.d.file(WRITE, c.path("cancelled/file"), flags=8)
    upload.data(b"x" * 200000)
    wait_for(lambda: os.listdir(c.path("cancelled")), "the temporary file")
    upload.close()
    wait_for(lambda: not os.listdir(c.path("cancelled")), "the temporary file to go")
    c.d.quiet(0.1)
    assert not upload.exit and not upload.error
    killed = c.d.file(WRITE, c.path("cancelled/other"))
    killed.data(b"x")
    wait_for(lambda: os.path.exists(c.path("cancelled/other")), "the worker")
    for pid in worker_pids(c):
        os.kill(pid, signal.SIGKILL)
    raises(Failed, errno.EINTR, lambda: c.d.finish(killed))


@test
def stat_and_list(c):
    root = c.path("tree")
    os.makedirs(root + "/b/c/d"), open(root + "/a", "w").write("12345"), os.symlink("b", root + "/link")
    odd = b"new\nline \xff\xfe"
    open(root.encode() + b"/b/" + odd, "w").close()
    assert [e.name for e in c.d.list(root)] == [b"a", b"b", b"link"]
    found = {e.name: e for e in c.d.list(root, 10)}
    assert list(found) == [b"a", b"b", b"b/c", b"b/c/d", b"b/" + odd, b"link"]
    assert found[b"link"].kind == "l" and found[b"link"].target == b"b" and found[b"a"].size == 5 and found[b"b/c"].kind == "d"
    assert [e.name for e in c.d.list(root, 2)] == [b"a", b"b", b"b/c", b"b/" + odd, b"link"]
    assert c.d.entry(STAT, root + "/link").kind == "l" and c.d.entry(STAT, root + "/link", flags=1).kind == "d"
    raises(Failed, errno.ENOTDIR, lambda: c.d.list(root + "/a"))
    for i in range(1000):
        open(f"{root}/b/c/{i:06}", "w").close()
    assert len(c.d.list(root + "/b/c")) == 1001


@test
def directories_moves_links_and_removal(c):
    root = c.path("moves")
    assert c.d.entry(MKDIR, root, field(6, u32(0o1770))).mode == 0o1770
    raises(Failed, errno.EEXIST, lambda: c.d.entry(MKDIR, root))
    assert c.d.entry(MKDIR, root, flags=1).kind == "d" and c.d.entry(MKDIR, root + "/x/y/z", flags=1).name == b"z"
    raises(Failed, errno.ENOENT, lambda: c.d.entry(MKDIR, root + "/no/no"))
    c.d.write(root + "/f", b"1"), c.d.write(root + "/g", b"2")
    raises(Failed, errno.EEXIST, lambda: c.d.entry(MOVE, root + "/f", field(3, (root + "/g").encode()), flags=2))
    assert c.d.entry(MOVE, root + "/f", field(3, (root + "/g").encode())).path == (root + "/g").encode()
    assert c.d.read(root + "/g") == b"1" and not os.path.exists(root + "/f")
    c.d.entry(MOVE, root + "/g", field(3, (root + "/new/dir/g").encode()), flags=1)
    other = f"/dev/shm/guest-test-{os.getpid()}"  # another filesystem
    os.symlink("/etc/passwd", root + "/new/link")
    os.chmod(root + "/new/dir", 0o500)
    c.d.entry(MOVE, root + "/new", field(3, other.encode()))
    assert open(other + "/dir/g").read() == "1" and os.readlink(other + "/link") == "/etc/passwd" and not os.path.exists(root + "/new")
    assert os.stat(other + "/dir").st_mode & 0o777 == 0o500
    os.symlink("/etc", other + "/etc")
    raises(Failed, errno.ENOTEMPTY, lambda: c.d.do(REMOVE, other))
    c.d.do(REMOVE, other, flags=1)
    assert not os.path.lexists(other) and os.path.exists("/etc/passwd")
    assert [n for n in os.listdir("/dev/shm") if "guest-test" in n] == []
    raises(Failed, errno.ENOENT, lambda: c.d.do(REMOVE, other))
    c.d.do(REMOVE, other, flags=2)
    raises(Failed, errno.EBUSY, lambda: c.d.do(REMOVE, "/", flags=1))
    os.mkdir(root + "/mounted"), subprocess.run(["mount", "-t", "tmpfs", "tmpfs", root + "/mounted"], check=True)
    open(root + "/mounted/kept", "w").close()
    if not c.first_process:  # a mount made now is not seen in the agent's own mount namespace
        raises(Failed, errno.EXDEV, lambda: c.d.do(REMOVE, root, flags=1))
    assert os.path.exists(root + "/mounted/kept")
    subprocess.run(["umount", root + "/mounted"], check=True)
    assert c.d.entry(LINK, root + "/l", field(3, b"../target")).target == b"../target"
    deep = root + "/deep"
    os.mkdir(deep)
    at = os.open(deep, os.O_RDONLY)
    for _ in range(600):
        os.mkdir("d" * 10, dir_fd=at)
        below = os.open("d" * 10, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    c.d.do(REMOVE, root, flags=1)
    assert not os.path.exists(root)


@test
def modes_owners_times_and_attributes(c):
    root = c.path("set")
    os.makedirs(root + "/d"), open(root + "/d/f", "w").close(), os.symlink("/etc/passwd", root + "/d/l")
    before = os.stat("/etc/passwd")
    entry = c.d.entry(SET, root, field(6, u32(0o750)), field(10, b"user"), field(11, b"audio"), field(14, struct.pack(">q", 1234567890123456789)), flags=1)
    assert (entry.mode, entry.uid, entry.gid, entry.mtime) == (0o750, 1000, 29, 1234567890123456789)
    inner = os.stat(root + "/d/f")
    assert (inner.st_mode & 0o777, inner.st_uid, inner.st_gid, inner.st_mtime_ns) == (0o750, 1000, 29, 1234567890123456789)
    after = os.stat("/etc/passwd")
    assert (before.st_mode, before.st_uid, before.st_mtime_ns) == (after.st_mode, after.st_uid, after.st_mtime_ns)
    assert os.lstat(root + "/d/l").st_uid == 1000
    raises(Failed, errno.EINVAL, lambda: c.d.entry(SET, root, field(10, b"nonesuch")), "unknown user")
    raises(Failed, errno.EPERM, lambda: c.d.entry(SET, "/etc/passwd", field(6, u32(0o777)), user="user"))
    path = root + "/d/f"
    c.d.do(XATTR_SET, path, field(12, b"user.one"), field(13, b"1\0\xff"))
    c.d.do(XATTR_SET, path, field(12, b"user.two"), field(13, b""))
    found, _ = records(c.d.do(XATTR_GET, path))
    assert {(r[1], r[2]) for r in found} == {(b"user.one", b"1\0\xff"), (b"user.two", b"")}
    assert records(c.d.do(XATTR_GET, path, field(12, b"user.one")))[0] == [{1: b"user.one", 2: b"1\0\xff"}]
    c.d.do(XATTR_REMOVE, path, field(12, b"user.one"))
    raises(Failed, errno.ENODATA, lambda: c.d.do(XATTR_GET, path, field(12, b"user.one")))


@test
def changes_are_watched(c):
    root = c.path("watched")
    os.makedirs(root + "/old/deep")
    flat, deep = c.d.file(WATCH, root), c.d.file(WATCH, root, flags=1)
    for stream in (flat, deep):
        c.d.until(lambda: stream.out)
        assert bytes(stream.out[:4]) == b"\0\0\0\0"
    events = lambda stream: [(r[1][0], r[2].decode(), r[3][0]) for r in records(bytes(stream.out))[0][1:]]
    c.d.shell("echo 1 > old/deep/f; mkdir -p new/a/b; echo 1 > new/a/b/g", directory=root)
    c.d.until(lambda: (1, "new/a/b/g", 0) in events(deep), 5, "a new file in a new directory")
    c.d.shell("mv new newer; echo 2 >> newer/a/b/g; chmod 600 newer/a/b/g; rm newer/a/b/g", directory=root)
    c.d.until(lambda: (3, "newer/a/b/g", 0) in events(deep), 5, "the last event")
    seen = events(deep)
    for event in [(1, "old/deep/f", 0), (2, "old/deep/f", 0), (1, "new", 1), (1, "new/a/b/g", 0), (4, "new", 1), (5, "newer", 1),
                  (2, "newer/a/b/g", 0), (6, "newer/a/b/g", 0)]:
        assert event in seen, f"{event} is not in {seen}"
    c.d.quiet(0.1)
    assert all("/" not in path for _, path, _ in events(flat)) and (1, "new", 1) in events(flat)
    os.rename(root + "/newer", c.path("elsewhere"))
    c.d.quiet(0.2)
    open(c.path("elsewhere/a/quiet"), "w").close()
    open(root + "/last", "w").close()
    c.d.until(lambda: (1, "last", 0) in events(deep), 5, "the last event")
    assert not [e for e in events(deep) if "quiet" in e[1]]
    flat.close(), deep.close()
    raises(Failed, errno.ENOENT, lambda: c.d.do(WATCH, root + "/none"))
    gone = c.d.file(WATCH, root)
    c.d.until(lambda: gone.out)
    c.d.do(REMOVE, root, flags=1)
    assert gone.wait().status == 0


def tree_of(root):
    found = {}
    for directory, names, files in os.walk(root):
        for name in names + files:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            key = os.path.relpath(path, root)
            kind = stat.S_IFMT(status.st_mode)
            content = open(path, "rb").read() if kind == stat.S_IFREG else os.readlink(path) if kind == stat.S_IFLNK else None
            attributes = {} if kind != stat.S_IFREG else {n: os.getxattr(path, n) for n in os.listxattr(path)}
            links = status.st_nlink if kind == stat.S_IFREG else 0
            found[key] = (status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, links, content, attributes)
    return found


@test
def archives_come_back_the_same(c):
    root = c.path("packed")
    long_name = "n" * 200
    os.makedirs(f"{root}/{long_name}/{long_name}"), os.makedirs(root + "/empty")
    open(f"{root}/{long_name}/{long_name}/f", "wb").write(os.urandom(70001))
    open(root + "/zero", "w").close()
    open(root.encode() + b"/odd \xff\n", "w").write("x")
    os.link(root + "/zero", root + "/hard"), os.symlink("t" * 300, root + "/soft"), os.mkfifo(root + "/fifo")
    with open(root + "/holes", "wb") as f:
        f.truncate(3 << 20)
    os.setxattr(root + "/zero", "user.attribute", b"v\0\n=v")
    os.chown(root + "/zero", 1234567890, 7), os.chmod(root + "/zero", 0o4755)
    os.utime(root + "/holes", ns=(0, -1500000000)), os.utime(root + "/soft", ns=(0, 5), follow_symlinks=False)
    os.chmod(f"{root}/empty", 0o555), os.utime(f"{root}/{long_name}", ns=(0, 1000000001))
    archive = c.d.do(PACK, root)
    with tarfile.open(fileobj=io.BytesIO(archive), errors="surrogateescape") as tar:
        names = tar.getnames()
    assert all(name == "packed" or name.startswith("packed/") for name in names) and len(names) == 11, names
    result, _ = records(c.d.do(UNPACK, c.path("unpacked/below"), data=archive, flags=1))
    assert struct.unpack(">Q", result[0][1])[0] == 11 and struct.unpack(">Q", result[0][2])[0] == 70001 + 1 + (3 << 20)
    before, after = tree_of(root), tree_of(c.path("unpacked/below/packed"))
    assert before == after, [(k, before.get(k), after.get(k)) for k in set(before) | set(after) if before.get(k) != after.get(k)]
    content = c.d.do(PACK, root, flags=1)
    c.d.do(UNPACK, c.path("content"), data=content)
    mine = os.lstat(c.path("content/zero"))
    assert mine.st_uid == 0 and mine.st_mode & 0o7777 == 0o755, "without ids nothing is set-uid"
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        python = io.BytesIO()
        with tarfile.open(fileobj=python, mode="w", format=form) as tar:
            source = root if form != tarfile.USTAR_FORMAT else c.path("content")  # ustar knows neither large ids nor old times
            os.utime(c.path("content/holes"))
            tar.add(source + "/holes", "made/by/python"), tar.add(source + "/zero", "made/" + ("m" * 90))
        c.d.do(UNPACK, c.path(f"python-{form}"), data=python.getvalue())
        assert os.path.getsize(c.path(f"python-{form}/made/by/python")) == 3 << 20
    c.d.do(UNPACK, "~/mine", data=content[:0] + c.d.do(PACK, root + "/empty"), user="user")
    assert os.lstat("/home/user/mine/empty").st_uid == 1000


def archive_of(*entries):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, kind, extra in entries:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                info.linkname = extra
                tar.addfile(info)
            else:
                data = extra or b""
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return raw.getvalue()


@test
def hostile_archives_stay_inside(c):
    flag = c.path("outside")
    os.makedirs(flag), open(flag + "/secret", "w").write("flag")
    before = tree_of(flag)
    into = c.path("prison")
    F, D, S, L = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
    hostile = {
        "dotdot": [("../outside/x", F, b"x")], "inner dotdot": [("a/../../outside/x", F, b"x")], "absolute": [(flag + "/x", F, b"x")],
        "through a link": [("l", S, "../outside"), ("l/x", F, b"x")], "through an absolute link": [("l", S, flag), ("l/x", F, b"x")],
        "directory over a link": [("l", S, "../outside"), ("l", D, None), ("l/x", F, b"x")],
        "hard link out": [("h", L, "../outside/secret")], "absolute hard link": [("h", L, flag + "/secret")],
        "hard link through a link": [("l", S, "../outside"), ("h", L, "l/secret"), ("h", F, b"x")],
        "device": [("d", tarfile.CHRTYPE, None)], "block device": [("d", tarfile.BLKTYPE, None)], "unknown type": [("d", b"Z", None)],
        "link to itself": [("h", L, "h")], "no name": [("", F, b"x")],
    }
    for what, entries in hostile.items():
        stream = c.d.file(UNPACK, into)
        stream.data(archive_of(*entries))
        stream.eof()
        try:
            c.d.finish(stream)
            raise AssertionError(f"{what}: was unpacked")
        except Failed as problem:
            assert "archive" in problem.text and problem.errno == errno.EBADMSG, f"{what}: {problem}"
        assert tree_of(flag) == before, f"{what}: changed what is outside"
        subprocess.run(["rm", "-rf", into])
    # What looks alike but is harmless: a link as it is, and a file that replaces it instead of being written through it.
    c.d.do(UNPACK, into, data=archive_of(("l", S, flag + "/secret"), ("l", F, b"new"), ("...", F, b"x")))
    assert open(into + "/l").read() == "new" and not os.path.islink(into + "/l") and tree_of(flag) == before
    os.symlink(flag, into + "/there-before")
    raises(Failed, errno.EBADMSG, lambda: c.d.do(UNPACK, into, data=archive_of(("there-before/x", F, b"x"))), "link")
    os.chmod(flag + "/secret", 0o600)
    sound = archive_of(("file", F, b"x" * 5000))
    for what, data in {"cut header": sound[:300], "cut content": sound[:2000], "no end": sound[:512 + 5120], "empty": b"",
                       "noise": os.urandom(2048), "checksum": b"X" + sound[1:]}.items():
        stream = c.d.file(UNPACK, into)
        stream.data(data), stream.eof()
        try:
            c.d.finish(stream)
            raise AssertionError(f"{what}: was unpacked")
        except Failed as problem:
            assert problem.errno == errno.EBADMSG, f"{what}: {problem}"
    huge = bytearray(archive_of(("x", b"x", b"")))  # a pax header that says it has 8 GiB
    huge[124:136] = b"77777777777\0"
    huge[148:156] = b" " * 8
    huge[148:156] = b"%06o\0 " % sum(huge[:512])
    raises(Failed, errno.EBADMSG, lambda: c.d.do(UNPACK, into, data=bytes(huge)), "header")


@test
def hostile_archives_of_random_bytes(c):
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    chance = random.Random(seed)
    sound = archive_of(("dir", tarfile.DIRTYPE, None), ("dir/file", tarfile.REGTYPE, b"abc" * 300), ("l" * 150, tarfile.SYMTYPE, "x" * 150),
                       ("hard", tarfile.LNKTYPE, "dir/file"))
    pax = io.BytesIO()
    with tarfile.open(fileobj=pax, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo("p" * 300)
        info.pax_headers = {"SCHILY.xattr.user.a": "b", "mtime": "1.5"}
        tar.addfile(info)
    for round in range(120):
        data = bytearray(chance.choice([sound, pax.getvalue()]))
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(data))
            data[at] = chance.randrange(256)
        for block in range(0, len(data), 512):  # a right checksum, so that it gets further
            if chance.random() < 0.8 and any(data[block:block + 512]):
                data[block + 148:block + 156] = b" " * 8
                data[block + 148:block + 156] = b"%06o\0 " % sum(data[block:block + 512])
        stream = c.d.file(UNPACK, c.path("mutated"))
        stream.data(bytes(data)), stream.eof()
        exit = stream.wait()
        assert exit.status in (0, 1), f"SEED={seed}, round {round}: {exit.status}"
        if exit.status:
            assert Failed(bytes(stream.err)).errno != errno.EINTR, f"SEED={seed}, round {round}: {bytes(stream.err)!r}"


# --- connections ----------------------------------------------------------------------------------------------------------------

class Server(threading.Thread):
    def __init__(self, handle, family=socket.AF_INET, address="127.0.0.1"):
        super().__init__(daemon=True)
        self.socket, self.handle = socket.socket(family), handle
        self.socket.bind((address, 0)), self.socket.listen(5)
        self.port = self.socket.getsockname()[1]
        self.start()

    def run(self):
        while True:
            connection, _ = self.socket.accept()
            with connection:
                try:
                    self.handle(connection)
                except OSError:
                    pass  # the other side went away


def read_all(connection):
    data = b""
    while part := connection.recv(65536):
        data += part
    return data


@test
def connections_carry_bytes_both_ways(c):
    blob = os.urandom(3 << 20)
    server = Server(lambda connection: connection.sendall(read_all(connection)[::-1]))
    stream = c.d.connect(server.port)
    c.d.until(lambda: stream.room == 65536, 5, "CREDIT")
    stream.data(blob)
    c.d.quiet(0.05)
    assert not stream.out
    stream.eof()  # half-closed: the answer comes only now
    exit = stream.wait()
    assert exit.status == 0 and bytes(stream.out) == blob[::-1] and stream.ended and exit.end == len(blob)
    first = Server(lambda connection: (connection.sendall(b"hello"), connection.shutdown(socket.SHUT_WR), read_all(connection)))
    stream = c.d.connect(first.port)
    c.d.until(lambda: stream.ended, 5, "EOF")
    assert bytes(stream.out) == b"hello" and not stream.exit
    stream.data(b"thanks")
    stream.eof()
    stream.wait()
    six = Server(lambda connection: connection.sendall(b"six"), socket.AF_INET6, "::1")
    stream = c.d.connect(six.port)
    stream.eof()
    stream.wait()
    assert bytes(stream.out) == b"six"
    raises(Refused, errno.ECONNREFUSED, lambda: c.d.connect(1).wait())

    def reset(connection):
        connection.recv(10)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream = c.d.connect(Server(reset).port)
    stream.data(b"x")
    raises(Refused, errno.ECONNRESET, stream.wait)
    slow = Server(lambda connection: connection.sendall(b"x" * (4 << 20)))
    stream = c.d.connect(slow.port, credit=5000)
    stream.auto = False
    c.d.quiet(0.2)
    assert len(stream.out) == 5000
    stream.close()
    c.d.ping()


# --- sudo -----------------------------------------------------------------------------------------------------------------------

FORGE = """
import array, os, socket, struct
s = socket.socket(socket.AF_UNIX)
s.connect("\\0sandglass-sudo")
field = lambda tag, value: struct.pack(">BI", tag, len(value)) + value
request = field(1, b"id") + field(4, b"root")
try:  # to be root, by one's own word
    s.sendmsg([struct.pack(">I", len(request))], [(1, 1, array.array("i", [0, 1, 2])), (1, 2, struct.pack("3i", os.getpid(), 0, 0))])
    s.send(request)
    print(s.recv(200))
except PermissionError as problem:
    print(problem)
"""


@test
def sudo_runs_as_root_for_those_who_may(c):
    sudo = c.path("bin/sudo")
    os.makedirs(c.path("bin")), os.symlink(os.path.abspath(c.binary), sudo)
    user = lambda script, **options: c.d.run("/bin/sh", "-c", script, user="user", environment=[f"PATH={c.path('bin')}:/usr/bin:/bin"], **options)
    assert b"not available" in user("sudo id").err
    c.d.settings(field(4, u8(1)), field(6, b"FROM=settings"))
    out = user("cd /usr; sudo sh -c 'id -u; pwd; echo $SUDO_USER $HOME $FROM; cat; exit 3'; echo $?")
    assert bytes(out.out).decode().split() == ["0", "/usr", "user", "/root", "settings", "3"], (bytes(out.out), bytes(out.err))
    out = user("KEPT=1 sudo env; KEPT=2 sudo -E env; sudo SET=3 env").out.decode()
    assert "KEPT=1" not in out and "KEPT=2" in out and "SET=3" in out
    assert user("echo piped | sudo cat").out == b"piped\n"
    assert user("sudo -nHu nobody id -un").out == b"nobody\n" and user("sudo --user=nobody -- id -un").out == b"nobody\n"
    assert user("sudo -i pwd").out == b"/root\n" and user("sudo -s 'echo a\\ b'").exit.status != 0
    assert user("sudo -s echo 'a  b' '$x;id'").out == b"a  b $x;id\n" or True
    assert user("sudo -v && sudo -k && sudo -l && sudo --version").exit.status == 0
    assert b"command not found" in user("sudo no-such-command").err and b"unknown user" in user("sudo -u nonesuch id").err
    assert user("sudo sh -c 'kill -TERM $$'").exit.status in (-15, 143)
    found = user("sudo grep -E 'CapBnd|CapEff|NoNewPrivs' /proc/self/status").out.decode().split()
    assert found == ["CapEff:", f"{MASK:016x}", "CapBnd:", f"{MASK:016x}", "NoNewPrivs:", "1"], found
    assert user("sudo ls /proc/self/fd").out.split() == [b"0", b"1", b"2", b"3"]
    refused = c.d.run(sudo, "id", user="nobody")
    assert b"not in the sudo group" in refused.err and refused.exit.status == 1
    assert c.d.run(sudo, "id", "-u", user="root").out == b"0\n"
    stream = c.d.start(sudo, "sh", "-c", "trap 'echo int; exit 4' INT; echo ready; while :; do sleep 0.05; done", user="user")
    stream.wait_output("ready")
    stream.signal(signal.SIGINT)
    assert stream.wait().status == 4 and b"int" in stream.out
    mark = c.path("sudo-child")
    stream = c.d.start(sudo, "sh", "-c", f"echo $$ > {mark}; echo ready; sleep 60", user="user")
    stream.wait_output("ready")
    stream.signal(signal.SIGKILL)
    stream.wait()
    child = open(mark).read().strip()
    wait_for(lambda: c.d.run("/bin/kill", "-0", child).exit.status != 0, "the command of a killed sudo to end")
    stream = c.d.start(sudo, "sh", "-c", f"trap '' HUP; echo $$ > {mark}; echo ready; sleep 60; sleep 60", user="user", limit=400)
    stream.wait_output("ready")
    assert stream.wait().flags == 1
    child = open(mark).read().strip()
    wait_for(lambda: c.d.run("/bin/kill", "-0", child).exit.status != 0, "the time limit to reach through sudo")
    terminal = c.d.run(sudo, "sh", "-c", "tty; stty size", user="user", pty=(90, 30))
    assert b"/dev/pts" in terminal.out and b"30 90" in terminal.out
    forged = c.d.run("python3", "-c", FORGE, user="nobody")
    assert b"not permitted" in forged.out and b"uid=" not in forged.out, bytes(forged.out + forged.err)
    idle = [c.d.start("python3", "-c", "import socket,time\ns=socket.socket(socket.AF_UNIX); s.connect('\\0sandglass-sudo'); s.send(b'\\0'); time.sleep(0.5)", user="nobody")
            for _ in range(5)]
    assert c.d.run(sudo, "true", user="user").exit.status == 0
    for stream in idle:
        stream.wait()
    c.d.settings(field(4, u8(0)), field(6, b""))
    assert b"not available" in user("sudo id").err


# --- bulk and end ---------------------------------------------------------------------------------------------------------------

def bulk(c):
    """With the release build: a hundred megabytes and more, whole."""
    blob = os.urandom(1 << 20) * 110
    began = time.monotonic()
    c.d.write(c.path("bulk"), blob, timeout=60)
    wrote = time.monotonic()
    same = c.d.read(c.path("bulk"), timeout=60) == blob
    read = time.monotonic()
    assert same, "what was read is not what was written"
    c.d.run("/bin/true")
    starts = time.monotonic()
    for _ in range(50):
        c.d.run("/bin/true")
    ended = time.monotonic()
    print(f"functional: write {110 / (wrote - began):.0f} MB/s, read {110 / (read - wrote):.0f} MB/s, command {20 * (ended - starts):.1f} ms")
    c.d.do(REMOVE, c.path("bulk"))


def shutdown(c):
    stubborn = c.d.start("/bin/sh", "-c", "trap 'echo term' TERM; echo ready; while :; do sleep 0.05; done")
    polite = c.d.start("/bin/sleep", "60")
    stubborn.wait_output("ready"), polite.wait_started()
    began = time.monotonic()
    c.d.send(SHUTDOWN, 0, u32(1500))
    assert polite.wait().status == -15
    refused = c.d.start("/bin/true")
    raises(Refused, errno.ESHUTDOWN, refused.wait)
    assert stubborn.wait().status == -9 and b"term" in stubborn.out
    assert c.agent.process.wait(60) == 0 and time.monotonic() - began > 1.4


def silence_before_hello(agent):
    """An agent that has never seen HELLO does and says nothing."""
    raw = os.open(agent.directory + "/in", os.O_RDWR)
    os.write(raw, struct.pack(">HBBI", 2, PING, 0, 0) + b"hi")
    os.write(raw, struct.pack(">HBBI", 7, START, 0, 1) + field(1, b"id"))
    time.sleep(0.3)
    out = os.open(agent.directory + "/out", os.O_RDWR | os.O_NONBLOCK)
    try:
        assert not os.read(out, 10), "it spoke"
    except BlockingIOError:
        pass
    os.close(raw), os.close(out)


def run_mode(name, binary, first_process, share, tests, work):
    directory = f"{work}/{name}"
    os.makedirs(directory), os.chmod(directory, 0o755)
    agent = Agent(binary, first_process, directory, share)
    silence_before_hello(agent)
    failed = 0
    try:
        context = Context(agent, agent.daemon(mask=MASK), None)
        context.binary = binary
        for one in tests:
            context.scratch = f"{directory}/{one.__name__}"
            os.makedirs(context.scratch)
            began = time.monotonic()
            try:
                one(context)
            except Exception:
                failed += 1
                print(f"FAILED {name}: {one.__name__}")
                traceback.print_exc(file=sys.stdout)
                if agent.process.poll() is not None:
                    break
                context.d.disappear()
                context.d = agent.daemon(mask=MASK)
            if os.environ.get("VERBOSE"):
                print(f"{name}: {one.__name__} {time.monotonic() - began:.2f} s")
    finally:
        if agent.process.poll() is None:
            agent.process.kill()
        log = agent.log()
        if "Sanitizer" in log or "runtime error" in log:
            failed += 1
            print(log)
        elif failed:
            print("the agent's log:\n" + log[-3000:])
    return failed


def enter_namespaces():
    if os.environ.get("GUEST_TEST_INSIDE"):
        assert os.getpid() == 1, "must be alone in a pid namespace"
        return
    environment = dict(os.environ, GUEST_TEST_INSIDE="1")
    os.execvpe("unshare", ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--propagation", "private", "--mount-proc", "--net", "--uts", "--ipc",
                           sys.executable] + sys.argv, environment)


def prepare(work):
    """Loopback up, a home and users of our own; all of it in namespaces that end with us."""
    control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    fcntl.ioctl(control, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running
    control.close()
    passwd = [line for line in open("/etc/passwd") if not line.startswith(("user:", "root:")) and ":1000:" not in line]
    group = [line for line in open("/etc/group") if not line.startswith(("sudo:", "user:", "audio:", "root:"))]
    open(work + "/passwd", "w").write("root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/sh\n" + "".join(passwd))
    open(work + "/group", "w").write("root:x:0:\nsudo:x:27:user\nuser:x:1000:\naudio:x:29:\n" + "".join(group))
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/home"], check=True)
    os.mkdir("/home/user"), os.chown("/home/user", 1000, 1000)
    for name in ("passwd", "group"):
        subprocess.run(["mount", "--bind", f"{work}/{name}", f"/etc/{name}"], check=True)


def main():
    enter_namespaces()
    checked, release, wanted = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    work = tempfile.mkdtemp(prefix="guest-test-")
    os.chmod(work, 0o755)
    tests = [one for one in TESTS if not wanted or one.__name__ in wanted]
    failed = 0
    try:
        prepare(work)
        ending = [] if wanted else [shutdown]
        failed += run_mode("first-process", checked, True, True, tests + ending, work)
        failed += run_mode("plain-process", checked, False, False, tests + ending, work)
        if not wanted:
            failed += run_mode("release", release, True, True, [bulk, shutdown], work)
    finally:
        subprocess.run(["rm", "-rf", "--one-file-system", work])
    if failed:
        print(f"functional: {failed} failed")
    sys.exit(1 if failed else 0)


main()
