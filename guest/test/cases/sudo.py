# SPDX-License-Identifier: Apache-2.0
"""The sudo of a sandbox, which the agent serves."""
import os, signal

from fixture import *

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
