# SPDX-License-Identifier: Apache-2.0
"""Commands: start, input, output, signals, terminals, their end and what is kept of it."""
import errno, os, signal, time

from fixture import *


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
def what_was_refused_is_told(c):
    assert raises(Refused, errno.ENOENT, lambda: c.d.run("no-such-program")).what == 1
    assert raises(Refused, errno.EACCES, lambda: c.d.run("/etc/passwd")).what == 1
    assert raises(Refused, errno.ENOENT, lambda: c.d.run("/bin/true", directory="/nowhere")).what == 2
    assert raises(Refused, errno.EINVAL, lambda: c.d.run("/bin/true", user="nobody-here")).what == 3


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
    c.d.until(lambda: len(slow.out) >= 1000, what="what the slow one may send")
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
