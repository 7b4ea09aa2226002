#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every message of docs/guest-protocol.md against a real agent over two FIFOs, as PID 1 of a fresh pid namespace and as a plain process.
Runs as root in namespaces of its own (processes, mounts, network, host name), so nothing outside can be touched: an agent that is
not PID 1 signals what it sees. Standard library only.
Arguments: the checked agent, the release agent, then names of tests to run only those."""
import errno, fcntl, os, socket, struct, subprocess, sys, tempfile, time, traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fixture import *
from cases import link, copies, commands, privileges, files, archives, connections, sudo, services  # each adds its tests, in this order


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
    services.unit("last", f"[Service]\nExecStart=/bin/sh -c 'trap \"echo ended > {c.path('last')}; exit 0\" TERM; echo ready; while :; do sleep 0.05; done'\nRestart=always\nRestartSec=0\n")
    assert services.one(c, "last", services.SERVICE_START).state == services.RUNNING
    wait_for(lambda: "ready" in services.log(c, "last"), "the service to be ready")
    began = time.monotonic()
    c.d.send(SHUTDOWN, 0, u32(1500))
    assert polite.wait().status == -15
    refused = c.d.start("/bin/true")
    raises(Refused, errno.ESHUTDOWN, refused.wait)
    assert stubborn.wait().status == -9 and b"term" in stubborn.out
    assert c.agent.process.wait(60) == 0 and time.monotonic() - began > 1.4
    assert open(c.path("last")).read() == "ended\n", "services end with everything else"


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
    os.makedirs("/etc/systemd/system", exist_ok=True)
    for hidden in ("/home", "/etc/systemd/system", "/run"):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", hidden], check=True)
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
