#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The agent as PID 1 under a real runtime: what could differ there works, and how long it takes. Not part of `make test`: it needs the
runtime and a root filesystem with python3-minimal (mmdebstrap --variant=minbase --include=python3-minimal bookworm DIRECTORY).
Arguments: runsc, crun or runc; the root filesystem; the agent."""
import json, os, shutil, signal, struct, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from daemon import *

if not os.environ.get("GUEST_TEST_INSIDE"):  # crun refuses hybrid cgroups while the v2 tree is to be seen
    script = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec python3 "$@"'
    os.execvpe("unshare", ["unshare", "--mount", "--propagation", "private", "bash", "-c", script, "-"] + sys.argv, dict(os.environ, GUEST_TEST_INSIDE="1"))

RUNTIME, ROOTFS, AGENT = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
OWN = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP", "NET_BIND_SERVICE", "NET_ADMIN", "SYS_CHROOT", "SYS_ADMIN"]
MASK = sum(1 << number for number in (0, 1, 3, 4, 5, 6, 7, 10, 18))  # what commands get of it
EAT = "import sys\nb = []\nwhile 1: b.append(bytearray(1 << 20) + b'x' * (1 << 20))"


class Box:
    def __init__(self, name, root=None):
        self.name, self.path = f"{name}-{os.getpid()}", tempfile.mkdtemp(prefix="guest-runtime-")
        self.root = self.path + "/root"
        subprocess.run(["cp", "-a", "--reflink=auto", root or ROOTFS, self.root], check=True)
        for end in ("in", "out"):
            os.mkfifo(f"{self.path}/{end}")
        if not root:
            os.makedirs(self.root + "/home/user"), os.chown(self.root + "/home/user", 1000, 1000)
            open(self.root + "/etc/passwd", "a").write("user:x:1000:1000::/home/user:/bin/bash\n")
        mounts = [("/proc", "proc", "proc", []), ("/dev", "tmpfs", "tmpfs", ["mode=755"]), ("/tmp", "tmpfs", "tmpfs", []),
                  ("/dev/pts", "devpts", "devpts", ["newinstance", "ptmxmode=0666", "mode=0620"]), ("/dev/shm", "tmpfs", "tmpfs", []),
                  ("/sbin/sandglass-agent", "bind", AGENT, ["bind", "ro"]), ("/usr/bin/sudo", "bind", AGENT, ["bind", "ro"])]
        json.dump({
            "ociVersion": "1.0.2", "root": {"path": self.root}, "hostname": name,
            "process": {"args": ["/sbin/sandglass-agent"], "cwd": "/", "env": ["PATH=/usr/bin:/bin"], "user": {"uid": 0, "gid": 0},
                        "capabilities": {kind: ["CAP_" + c for c in OWN] for kind in ("bounding", "effective", "permitted")}},
            "mounts": [dict(zip(("destination", "type", "source", "options"), mount)) for mount in mounts],
            "linux": {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount", "network")]},
        }, open(self.path + "/config.json", "w"))

    def command(self, *arguments):
        options = {"runsc": ["--platform=systrap", "--network=none", "--overlay2=none", "--ignore-cgroups", "--oci-seccomp", "--net-disconnect-ok"],
                   "crun": ["--cgroup-manager=disabled"], "runc": []}[RUNTIME]
        return [RUNTIME, "--root", self.path + "/state"] + options + list(arguments)

    def start(self, *how):
        into, self.reader = os.open(self.path + "/in", os.O_RDWR), os.open(self.path + "/out", os.O_RDWR)
        out = os.open(self.path + "/out", os.O_WRONLY)
        began = time.monotonic()
        with open(self.path + "/log", "a") as log:
            subprocess.run(self.command(*(how or ("run",)), "--detach", "--bundle", self.path, self.name), stdin=into, stdout=out, stderr=log, check=True)
        os.close(into), os.close(out)
        self.took = 1000 * (time.monotonic() - began)
        return self

    def quietly(self, *arguments):
        began = time.monotonic()
        done = subprocess.run(self.command(*arguments), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert not done.returncode or arguments[0] in ("kill", "delete"), done.stderr
        return 1000 * (time.monotonic() - began)

    def daemon(self, **options):
        return Daemon(self.path + "/in", self.path + "/out").hello(mask=MASK, sudo=True, **options)

    def end(self):
        self.quietly("kill", self.name, "KILL")
        time.sleep(0.3)
        self.quietly("delete", "--force", self.name)
        print(open(self.path + "/log").read()[-1000:], end="")
        subprocess.run(["rm", "-rf", "--one-file-system", self.path])


def median(action, count=30):
    times = []
    for _ in range(count):
        began = time.monotonic()
        action()
        times.append(1000 * (time.monotonic() - began))
    return f"{sorted(times)[count // 2]:.2f} ms (best {min(times):.2f})"


def speed(megabytes, action):
    began = time.monotonic()
    action()
    return f"{megabytes / (time.monotonic() - began):.0f} MB/s"


def measure(d):
    print("ping", median(d.ping), "| command", median(lambda: d.run("/bin/true")), "| file worker", median(lambda: d.do(STAT, "/etc/passwd")))
    blob = os.urandom(1 << 20) * 64
    for directory in ("/root", "/tmp"):
        print(directory, "write", speed(64, lambda: d.write(directory + "/big", blob)), "| read", speed(64, lambda: d.read(directory + "/big")), end=" | ")
        d.do(REMOVE, directory + "/big")
    print("output", speed(64, lambda: d.run("head", "-c", str(64 << 20), "/dev/zero")))


def commands(d):
    assert d.shell("hostname").strip() == "boxed"
    status = d.shell("grep -E 'Cap(Prm|Eff|Bnd)' /proc/self/status").split()
    assert status[1::2] == [f"{MASK:016x}"] * 3, status
    assert d.shell("ls /proc/self/fd").split() == ["0", "1", "2", "3"]
    hidden = d.run("/bin/sh", "-c", "timeout 2 cat /proc/1/fd/8; echo x > /proc/1/fd/9; timeout 2 cat /proc/1/fd/0 /proc/1/task/1/fd/8; head -c 1 /proc/1/mem")
    assert not hidden.out and hidden.err.count(b":") >= 4, bytes(hidden.out)
    d.ping()
    shell = d.start("/bin/bash", "-i", pty=(80, 24), stdin=True, user="user")
    shell.data(b"stty size; sleep 100 &\njobs\n")
    shell.wait_output("Running")
    shell.resize(111, 44)
    shell.data(b"stty size; kill %1; exit\n")
    shell.wait()
    assert b"24 80" in shell.out and b"44 111" in shell.out
    trap = d.start("/bin/sh", "-c", "trap 'exit 3' INT; echo ready; while :; do sleep 0.05; done", pty=(80, 24), stdin=True)
    trap.wait_output("ready")
    trap.data(b"\x03")
    assert trap.wait().status == 3
    for pty in (None, (80, 24)):
        big = d.run("/bin/sh", "-c", "seq 1 20000; echo done", pty=pty)
        assert bytes(big.out).split()[-2:] == [b"20000", b"done"] and big.exit.end == len(big.out)
    late = d.run("/bin/sh", "-c", "(sleep 0.5; echo late; touch /tmp/mark) & echo now")
    assert bytes(late.out) == b"now\n"
    limited = d.run("/bin/sh", "-c", "sleep 50 & sleep 50", limit=200).exit
    assert (limited.status, limited.flags) == (-9, 1)
    time.sleep(0.7)
    assert d.entry(STAT, "/tmp/mark").kind == "f"
    assert d.shell("grep -l 'State:.Z' /proc/[0-9]*/status | wc -l").strip() == "0"


def files(d):
    watch = d.file(WATCH, "/home", flags=1)
    d.until(lambda: watch.out)
    events = lambda: [(r[1][0], r[2].decode()) for r in records(bytes(watch.out))[0][1:]]
    d.shell("mkdir -p /home/a/b; echo 1 > /home/a/b/f")
    d.until(lambda: (1, "a/b/f") in events(), 5, "a new file in a new directory")
    d.shell("mv /home/a /home/c; echo 2 >> /home/c/b/f; rm -r /home/c")
    d.until(lambda: (3, "c") in events(), 5, "the last event")
    assert {(1, "a/b/f"), (4, "a"), (5, "c"), (2, "c/b/f"), (3, "c/b/f")} <= set(events()), events()
    watch.close()
    archive = d.do(PACK, "/etc")
    d.do(UNPACK, "/tmp/copy", data=archive, flags=1)
    d.entry(MOVE, "/tmp/copy/etc", field(3, b"/root/etc2"))
    assert d.shell("diff -r --no-dereference /etc /root/etc2 && echo same").strip() == "same"
    assert d.entry(SET, "/root/etc2", field(6, u32(0o755)), field(10, b"user"), flags=1).uid == 1000
    d.do(REMOVE, "/root/etc2", flags=1)
    assert d.write("/root/whole", b"12", flags=8).size == 2 and d.read("/root/whole") == b"12"


def connections(d):
    d.write("/tmp/echo.py", b"""import fcntl, socket, struct
try: fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14x", b"lo", 0x41))
except OSError: pass
s = socket.socket(); s.bind(("127.0.0.1", 8080)); s.listen(5); print("up", flush=True)
c, _ = s.accept(); data = b""
while part := c.recv(65536): data += part
c.sendall(data[::-1]); c.close()
""")
    d.settings(field(1, u64(MASK | 1 << 12)))  # NET_ADMIN, to have a loopback
    server = d.start("python3", "/tmp/echo.py")
    d.settings(field(1, u64(MASK)))
    server.wait_output("up")
    blob, stream = os.urandom(300000), d.connect(8080)
    stream.data(blob)
    stream.eof()
    assert stream.wait().status == 0 and bytes(stream.out) == blob[::-1]


def sudo(d):
    assert d.shell("sudo id -u; sudo -u nobody id -un; echo hi | sudo cat; sudo sh -c 'exit 5'; echo $?", user="user").split() == ["0", "nobody", "hi", "5"]
    assert b"not in the sudo group" in d.run("sudo", "id", user="www-data").err
    print("sudo", median(lambda: d.run("sudo", "true", user="user"), 10))


def guard(d):
    for limit in (256, 1024):
        d.settings(field(3, u64(limit << 20)))
        quiet, greedy = d.start("sleep", "100"), d.start("python3", "-c", EAT)
        exit = greedy.wait(60)
        assert (exit.status, exit.flags) == (-9, 2) and not quiet.exit
        print(f"memory guard: {limit} MiB, killed at {exit.peak >> 10} MiB resident", end=" | ")
        quiet.signal(signal.SIGKILL)
        assert d.run("sudo", "python3", "-c", EAT, user="user", timeout=60).exit.flags == 2
        time.sleep(0.5)
    d.settings(field(3, u64(0)))
    print()


def checkpoint(box, d):
    counter = d.start("/bin/sh", "-c", "n=0; while :; do n=$((n+1)); echo $n; sleep 0.02; done")
    counter.wait_output("10\n")
    shell = d.start("/bin/bash", pty=(80, 24), stdin=True)
    shell.data(b"x=42\n")
    flood = d.start("yes", attach=False)  # the link is full while nobody reads
    flood.auto = False
    flood.attach(0, 1 << 28)
    upload = d.file(WRITE, "/root/cut", flags=8)
    time.sleep(0.5)
    image = box.path + "/image"
    took = [box.quietly("pause", box.name), box.quietly("checkpoint", "--compression=none", "--leave-running", "--image-path=" + image, box.name),
            box.quietly("resume", box.name)]
    flood.signal(signal.SIGKILL)
    have = len(counter.out)
    d.until(lambda: flood.exit and len(counter.out) > have + 20, 20, "the source to go on, without a gap")
    fork = Box("fork", box.root).start("restore", "--image-path=" + image)
    try:
        began = time.monotonic()
        e = fork.daemon(hostname="forked")
        print(f"pause, checkpoint, resume {took[0]:.0f}, {took[1]:.0f}, {took[2]:.0f} ms | restore {fork.took:.0f} ms, HELLO {1000 * (time.monotonic() - began):.0f} ms")
        again = e.streams[shell.number]
        again.attach(1 << 40)
        again.data(b"echo x is $x\n")
        again.wait_output("x is 42")
        counted = e.streams[counter.number]
        counted.attach(counted.command.end)
        e.until(lambda: len(counted.out) > 20, 10, "the fork to count on")
        assert e.shell("hostname; sudo id -u", user="user").split() == ["forked", "0"]
        assert b"cut" not in b"".join(entry.name for entry in e.list("/root"))
        hidden = e.run("/bin/sh", "-c", "timeout 2 cat /proc/1/fd/8; echo x > /proc/1/fd/9")
        assert not hidden.out and hidden.err
        assert e.run("sleep", "100", limit=300).exit.flags == 1
    finally:
        fork.end()


box = Box("box").start()
print(f"{RUNTIME}: start {box.took:.0f} ms")
try:
    daemon = box.daemon(hostname="boxed")
    daemon.run("/bin/true")
    measure(daemon)
    commands(daemon)
    files(daemon)
    connections(daemon)
    sudo(daemon)
    if RUNTIME == "runsc":
        guard(daemon)
        checkpoint(box, daemon)
    daemon.send(SHUTDOWN, 0, u32(500))
    deadline = time.monotonic() + 5
    while '"running"' in subprocess.run(box.command("state", box.name), capture_output=True, text=True).stdout:
        assert time.monotonic() < deadline, "SHUTDOWN does not end it"
        time.sleep(0.05)
    print("all well")
finally:
    box.end()
