# SPDX-License-Identifier: Apache-2.0
"""What a command or a file worker may do, and what it sees of the agent."""
import errno, os

from fixture import *


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
def root_cannot_look_into_the_agent(c):
    """With the capabilities of the settings only. As a plain process its number is not 1, but the rest holds too."""
    pid = 1 if c.first_process else agent_pid(c)
    for name in ("fd/0", "fd/8", "fd/9", "mem", "environ"):
        out = c.d.run("/bin/sh", "-c", f"timeout 2 head -c 1 /proc/{pid}/{name}")
        assert out.exit.status != 0 and not out.out and b"enied" in out.err or b"No such" in out.err, (name, bytes(out.err))
    # A descriptor of the link, if it could be opened for writing, would show here.
    c.d.shell(f"for n in 8 9; do echo x > /proc/{pid}/fd/$n; done")
    c.d.ping()
