# SPDX-License-Identifier: Apache-2.0
"""What a copy of the sandbox does first, and what would stand in the way of one."""
import os, shutil, subprocess, time

from fixture import *

HOOKS = "/etc/sandglass/on-resume.d"


class Hooks:
    """An own /etc/sandglass for the agent, in the mount namespace where it looks."""
    def __init__(self, c):
        self.agent = agent_pid(c)
        self.root = f"/proc/{self.agent}/root"
        self.inside("mkdir -p /etc/sandglass; mount -t tmpfs tmpfs /etc/sandglass; mkdir " + HOOKS)

    def inside(self, script):
        subprocess.run(["nsenter", f"--mount=/proc/{self.agent}/ns/mnt", "sh", "-c", script], check=True)

    def add(self, name, script, mode=0o755):
        path = f"{self.root}{HOOKS}/{name}"
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, mode)

    def clear(self):
        self.inside(f"rm -rf {HOOKS}/* {HOOKS}/.h*")

    def gone(self):
        self.inside("umount /etc/sandglass; rmdir /etc/sandglass || true")


@test
def a_copy_runs_its_hooks_before_it_answers(c):
    hooks = Hooks(c)
    said = c.path("said")
    try:
        c.d.hello(mask=MASK, share=c.share, generation=7)
        hooks.add("20-second", f"echo second $SANDGLASS_GENERATION $(id -u) $(uname -n) >> {said}\n")
        hooks.add("10-first", f"sleep 0.3; echo first >> {said}; echo loud; exit 3\n")
        hooks.add("30-plain", f"echo no >> {said}\n", 0o644)
        hooks.add(".hidden", f"echo no >> {said}\n")
        c.d.hello(mask=MASK, share=c.share, generation=7)
        c.d.hello(mask=MASK, share=c.share)
        assert not os.path.exists(said), "nothing was copied"
        running = c.d.start("/bin/sh", "-c", "read line; echo $line", stdin=True)
        running.wait_started()
        c.d.hello(mask=MASK, share=c.share, generation=8, hostname="copied")
        assert open(said).read() == "first\nsecond 8 0 copied\n", "all of it before READY"
        assert "on-resume: loud" in c.agent.log() and "ended with status 3" in c.agent.log()
        again = c.d.streams[running.number]
        again.attach(0)
        again.data(b"still here\n")
        assert again.wait().status == 0 and bytes(again.out) == b"still here\n"
        c.d.hello(mask=MASK, share=c.share, generation=8)
        assert open(said).read().count("second") == 1, "once for a copy"
        hooks.clear()
        hooks.add("status", f"grep -E 'Cap(Bnd|Eff)|NoNewPrivs' /proc/self/status > {said}; ls /proc/self/fd | wc -l >> {said}\n")
        c.d.hello(mask=MASK, share=c.share, generation=9)
        expected = c.d.shell("grep -E 'Cap(Bnd|Eff)|NoNewPrivs' /proc/self/status; ls /proc/self/fd | wc -l")
        assert open(said).read() == expected, f"{open(said).read()!r} is not what a command may do: {expected!r}"
    finally:
        hooks.gone()


@test
def hooks_have_little_time_and_few_words(c):
    if not c.first_process:
        return  # it takes a while
    hooks = Hooks(c)
    try:
        c.d.hello(mask=MASK, share=c.share, generation=100)
        hooks.add("loud", "yes no | head -c 10000000\n(sleep 60; echo late) &\n")
        c.d.hello(mask=MASK, share=c.share, generation=101)
        assert c.agent.log().count("on-resume: no") <= 100
        hooks.clear()
        hooks.add("slow", "sleep 1000\n")
        began = time.monotonic()
        c.d.hello(mask=MASK, share=c.share, generation=102)
        assert time.monotonic() - began > 8 and "not done within" in c.agent.log()
        c.d.run("/bin/true")
    finally:
        hooks.gone()


@test
def a_new_link_does_not_wait_for_the_old_one(c):
    """The agent was copied while its output was stuck and half a message had come: the other end is new, and the first words on it are HELLO."""
    talker = c.d.start("/bin/sh", "-c", "while :; do echo talk; done")
    talker.wait_output("talk")
    talker.auto = False
    c.d.send(CREDIT, talker.number, u32(1 << 30))  # fills the FIFO
    time.sleep(0.3)
    c.d.send(START, c.d.next, field(1, b"/bin/true"), flags=1)  # and the rest never comes
    os.write(c.d.into, b"\x0f\xf0\x03")  # nor that of this
    c.d.disappear()
    d = c.d = Daemon(c.agent.directory + "/in", c.agent.directory + "/out")
    d.end_half()
    d.hello(mask=MASK, share=c.share)
    again = d.streams[talker.number]
    again.attach(1 << 60)
    again.signal(9)
    assert again.wait().status == -9


def uses(c, path):
    found, rest = records(c.d.do(DELETED, path))
    assert not rest
    return [(int.from_bytes(record[1], "big"), record[2].decode(), record[3].decode(), record[4][0]) for record in found]


@test
def what_is_deleted_and_in_use_is_found(c):
    # In a shell of the sandbox, so that the process has a number there.
    script = """
import os, sys
os.chdir(sys.argv[1])
open('open', 'w').write('x'); kept = open('open'); os.unlink('open')
open('replaced', 'w').write('x'); old = open('replaced'); open('new', 'w').write('y'); os.rename('new', 'replaced')
fine = open('here (deleted)', 'w')
os.mkdir('directory'); os.chdir('directory'); os.rmdir('../directory')
print('ready', flush=True); sys.stdin.readline()
"""
    holder = c.d.start("/usr/bin/python3", "-c", script, c.scratch, stdin=True)
    holder.wait_output("ready")
    pid = holder.started[0]
    mine = {(path.rsplit("/", 1)[-1], use) for number, _, path, use in uses(c, c.scratch) if number == pid}
    assert mine == {("open", 1), ("replaced", 1), ("directory", 3)}, mine
    assert all("python3 -c" in command for number, command, _, _ in uses(c, c.scratch) if number == pid)
    assert not [use for use in uses(c, "/home") if use[0] == pid], "another filesystem"
    holder.data(b"\n")
    holder.wait()
    shutil.copy("/bin/sleep", c.path("program"))
    program = c.d.start(c.path("program"), "1000")
    program.wait_started()
    os.unlink(c.path("program"))
    assert (program.started[0], c.path("program") + " 1000", c.path("program"), 2) in uses(c, c.scratch)
    program.signal(9)
    program.wait()
    raises(Failed, 2, lambda: c.d.do(DELETED, c.path("nowhere")))


def listed(c, **options):
    """Processes by number, as (parent, user, command); and whether there are more."""
    found, rest = records(c.d.do(PROCESSES, "/", **options))
    assert not rest
    told = [record for record in found if 1 in record]
    numbers = [int.from_bytes(record[1], "big") for record in told]
    assert numbers == sorted(numbers), "in the order of their numbers"
    told = {int.from_bytes(r[1], "big"): (int.from_bytes(r[2], "big"), int.from_bytes(r[3], "big"), r[4]) for r in told}
    return told, any(5 in record for record in found)


@test
def processes_are_told_without_the_agents_own(c):
    watch = c.d.file(WATCH, c.scratch, user="user")
    c.d.until(lambda: watch.out, what="the watch")
    agent = 1 if c.first_process else agent_pid(c)
    shell = c.d.start("/bin/sh", "-c", "/bin/sleep 1000 & echo ready; wait", user="user")
    shell.wait_output("ready")
    now, more = listed(c)
    pid = shell.started[0]
    assert not more and now[pid] == (agent, 1000, b"/bin/sh -c /bin/sleep 1000 & echo ready; wait"), now[pid]
    wait_for(lambda: [(1000, b"/bin/sleep 1000")] == [one[1:] for one in listed(c)[0].values() if one[0] == pid], "what the shell started")
    assert listed(c, user="user")[0][pid] == now[pid], "everybody may ask"
    assert agent not in now and not [one for one in now.values() if one[0] == agent and c.binary.encode() in one[2]], now
    watch.close()
    shell.signal(9)
    shell.wait()
    assert pid not in listed(c)[0]


@test
def hostile_processes_are_told_within_bounds(c):
    script = r"""
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def child(work):
    if os.fork() == 0:
        work()
        time.sleep(1000)
child(lambda: os.execv('/bin/sleep', [b'\x1b[31mred\n\xff\xfe', b'1000']))
child(lambda: os.execv('/bin/sh', [b'long', b'-c', b'sleep 1000; :', *[b'x' * 100000] * 10]))
child(lambda: libc.prctl(15, b'a\nUid:\t7\t7\n', 0, 0, 0))
def title(text):
    def change():
        at, end = (int(value) for value in open('/proc/self/stat').read().rsplit(')')[-1].split()[45:47])
        ctypes.memset(at, 0, end - at)
        ctypes.memmove(at, text, len(text))
    return change
child(title(sys.argv[1].encode()))
child(title(b''))
if os.fork() == 0:
    os._exit(0)  # and nobody waits for it
print('ready', flush=True)
sys.stdin.readline()
os.killpg(0, 9)
"""
    own = open(f"/proc/{agent_pid(c)}/cmdline").read().rstrip("\0")
    liar = c.d.start("/usr/bin/python3", "-c", script, own, user="user", stdin=True)
    liar.wait_output("ready")
    pid = liar.started[0]

    def children(**options):
        return sorted(one[1:] for one in listed(c, **options)[0].values() if one[0] == pid)
    wait_for(lambda: len(children()) == 5 and all(any(command.startswith(start) for _, command in children()) for start in
             (b"\x1b[31mred", b"long", own.encode(), b"[")), f"all of them: {children()}")
    found = children()
    assert all(user == 1000 for user, _ in found) and len(found) == 5, found
    assert children(user="user") == found, "also to one who can see that the program is another"
    commands = [command for _, command in found]
    assert b"\x1b[31mred\n\xff\xfe 1000" in commands, commands
    assert b"long -c sleep 1000; : ".ljust(512, b"x") in commands, "cut"
    assert b"[python3]" in commands, "one without arguments has its name"
    liar.data(b"\n")
    assert liar.wait().status == -9
    many = c.d.start("/usr/bin/python3", "-c", """
import os, sys
for i in range(4200):
    if os.fork() == 0:
        os.execv('/bin/sleep', ['sleep', '1000'])
print('ready', flush=True)
sys.stdin.readline()
os.killpg(0, 9)
""", stdin=True)
    if c.first_process:
        many.wait_output("ready", timeout=300)
        told, more = listed(c, timeout=300)
        assert more and len(told) == 4096, (more, len(told))
    many.signal(9)
    many.wait()
