# SPDX-License-Identifier: Apache-2.0
"""Services that the agent supervises, and the systemctl of a sandbox."""
import errno, os, subprocess, time

from fixture import *

ETC = "/etc/systemd/system"
INACTIVE, STARTING, RUNNING, EXITED, STOPPING, WAITING, FAILED = range(7)
SERVICE_LIST, SERVICE_START, SERVICE_STOP, SERVICE_RESTART, SERVICE_RELOAD, SERVICE_LOG, SERVICE_RESET = range(1, 8)


class Service:
    def __init__(self, found):
        one = dict(found)
        number = lambda tag, default=None: int.from_bytes(one[tag], "big", signed=tag == 6) if tag in one else default
        text = lambda tag: one[tag].decode() if tag in one else None
        self.name, self.state, self.pid, self.restarts, self.status = text(1), number(2), number(3), number(5), number(6)
        self.description, self.enabled, self.port, self.health, self.reason = text(7), number(8), number(9), number(10), text(11)
        self.path, self.unsupported = text(12), [value.decode() for tag, value in found if tag == 13]
        self.command, self.user, self.directory, self.restart = text(14), text(15), text(16), text(17)


def struct_u32(data):
    return int.from_bytes(data, "big")


def ask(c, operation, *names, flags=0, more=b""):
    stream = c.d.new()
    c.d.send_message(SERVICE, stream.number, field(1, u8(operation)) + b"".join(field(2, text(name)) for name in names) + field(3, u32(flags)) + more)
    stream.credit(1 << 20)
    return stream


def services(c, operation, *names, **options):
    data = c.d.finish(ask(c, operation, *names, **options))
    found, at = [], 0
    while at < len(data):
        length = int.from_bytes(data[at:at + 4], "big")
        found.append(Service(fields(data[at + 4:at + 4 + length])))
        at += 4 + length
    return found


def one(c, name, operation=SERVICE_LIST):
    (found,) = services(c, operation, name)
    return found


def unit(name, text, enabled=False, target="multi-user"):
    os.makedirs(f"{ETC}/{target}.target.wants", exist_ok=True)
    with open(f"{ETC}/{name}.service", "w") as file:
        file.write(text)
    if enabled:
        os.symlink(f"{ETC}/{name}.service", f"{ETC}/{target}.target.wants/{name}.service")


def clear():
    subprocess.run(f"rm -rf {ETC}/* {ETC}/.[a-z]*", shell=True, check=True)


def state(c, name):
    return one(c, name).state


def log(c, name, **options):
    return c.d.finish(ask(c, SERVICE_LOG, name, **options)).decode()


def until(c, name, wanted, timeout=30):
    """Until the record satisfies the condition; that record."""
    wait_for(lambda: wanted(one(c, name)), f"{name}: {vars(one(c, name))}", timeout)
    return one(c, name)


def processes(c, word):
    """Numbers of the processes with this word in their arguments."""
    out = c.d.run("/bin/sh", "-c", f"ps -eo pid=,args= | grep -F {word} | grep -v grep; true").out.decode()
    return [int(line.split()[0]) for line in out.splitlines()]


LOOP = "while :; do sleep 0.05; done"


@test
def enabled_services_start_at_boot_in_order(c):
    clear()
    order = c.path("order")
    line = lambda word: f"ExecStart=/bin/sh -c 'echo {word} >> {order}'\n"
    unit("a-last", f"[Unit]\nAfter=m-middle.service network.target\n[Service]\nType=oneshot\nRemainAfterExit=yes\n{line('last')}", enabled=True)
    unit("m-middle", f"[Unit]\nAfter=z-first.service\nRequires=z-first.service\n[Service]\nType=oneshot\nRemainAfterExit=yes\n{line('middle')}", enabled=True)
    unit("z-first", f"[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStartPre=/bin/sleep 0.2\n{line('first')}")
    unit("circle-1", f"[Unit]\nAfter=circle-2.service\n[Service]\nExecStart=/bin/sleep 60\n", enabled=True)
    unit("circle-2", f"[Unit]\nAfter=circle-1.service\n[Service]\nExecStart=/bin/sleep 60\n", enabled=True)
    unit("needy", "[Unit]\nAfter=broken.service\nRequires=broken.service\n[Service]\nExecStart=/bin/sleep 60\n", enabled=True)
    unit("broken", "[Service]\nType=oneshot\nExecStart=/bin/false\n")
    unit("alone", "[Unit]\nRequires=nonesuch.service x.socket\nWants=other.service\n[Service]\nExecStart=/bin/sleep 60\n")
    unit("nobody", "[Service]\nUser=nonesuch\nExecStart=/bin/sleep 60\n", enabled=True)
    unit("asleep", "[Service]\nExecStart=/bin/sleep 60\n", enabled=True, target="sleep")
    unit("idle", "[Service]\nExecStart=/bin/sleep 60\n")
    assert struct_u32(c.d.facts[5]) & 1, "the ability to have services"
    assert not services(c, SERVICE_LIST, "idle")[0].enabled and state(c, "m-middle") == INACTIVE, "nothing starts before it is told to"
    c.d.settings(field(12, u8(1)))
    until(c, "a-last", lambda s: s.state == EXITED)
    assert open(order).read().split() == ["first", "middle", "last"]
    until(c, "circle-1", lambda s: s.state == RUNNING), until(c, "circle-2", lambda s: s.state == RUNNING)
    assert "does not run" in until(c, "needy", lambda s: s.state == FAILED).reason
    failed = one(c, "alone", SERVICE_START)
    assert failed.state == FAILED and "nonesuch.service" in failed.reason and failed.unsupported == ["Requires=x.socket"]
    failed = until(c, "nobody", lambda s: s.state == FAILED)
    assert "unknown user nonesuch" in failed.reason and failed.user == "nonesuch"
    assert state(c, "idle") == INACTIVE and state(c, "asleep") == INACTIVE
    names = {found.name for found in services(c, SERVICE_LIST)}
    assert {"a-last", "idle", "z-first"} <= names and names == set(sorted(names))
    assert os.path.isdir("/run/systemd/system")
    c.d.until(lambda: any(dict(change)[1] == b"a-last" and dict(change)[2] == bytes([EXITED]) for change in c.d.changes), 10, "to be told")
    c.d.settings(field(12, u8(1)))
    c.d.ping()
    assert open(order).read().split() == ["first", "middle", "last"], "once in the life of the agent"
    services(c, SERVICE_STOP, "circle-1", "circle-2", "a-last", "m-middle", "z-first")
    assert state(c, "a-last") == INACTIVE
    clear()
    ask(c, SERVICE_RELOAD).wait()
    assert not services(c, SERVICE_LIST), [vars(found) for found in services(c, SERVICE_LIST)]
    os.unlink(order)


@test
def a_service_starts_logs_and_stops(c):
    clear()
    unit("web", """[Unit]
Description=A web
[Service]
Environment=WORD=hello OTHER='two words'
WorkingDirectory=/usr
User=user
ExecStart=/bin/sh -c 'echo $WORD $OTHER; echo oops >&2; pwd; id -un; trap "echo bye; exit 0" TERM; while :; do sleep 0.05; done'
Restart=on-failure
[X-Sandglass]
Port=8080
""")
    assert not one(c, "web").enabled
    found = one(c, "web", SERVICE_START)
    assert (found.state, found.port, found.user, found.directory, found.restart) == (RUNNING, 8080, "user", "/usr", "on-failure"), vars(found)
    wait_for(lambda: b"user\n" in c.d.finish(ask(c, SERVICE_LOG, "web")), "the log")
    log = c.d.finish(ask(c, SERVICE_LOG, "web"))
    assert log == b"hello two words\noops\n/usr\nuser\n" or sorted(log.split()) == sorted(b"hello two words oops /usr user".split()), log
    assert c.d.shell(f"ps -o user= -p {found.pid}").strip() == "user"
    stopped = one(c, "web.service", SERVICE_STOP)
    assert stopped.state == INACTIVE and stopped.pid is None and stopped.status == 0, vars(stopped)
    assert c.d.finish(ask(c, SERVICE_LOG, "web", more=field(4, u32(4)))) == b"bye\n"
    raises(Failed, errno.ENOENT, lambda: one(c, "nonesuch"), "no such service")
    clear()


@test
def what_ends_badly_is_started_again_within_limits(c):
    clear()
    count = lambda name: log(c, name).count("run\n")
    unit("quick", "[Unit]\nStartLimitBurst=4\n[Service]\nExecStart=/bin/sh -c 'echo run; exit 3'\nRestart=on-failure\nRestartSec=0\n")
    services(c, SERVICE_START, "quick")
    found = until(c, "quick", lambda s: s.state == FAILED)
    assert count("quick") == 4 and found.restarts == 3 and found.status == 3, vars(found)
    assert "started 4 times within 60 s" in found.reason and "status 3" in found.reason, found.reason
    services(c, SERVICE_START, "quick")
    until(c, "quick", lambda s: s.state == FAILED)
    assert count("quick") == 8, "whoever asks for it is not refused"
    ask(c, SERVICE_RESET, "quick").wait()
    assert state(c, "quick") == INACTIVE and one(c, "quick").restarts == 0
    unit("slow", "[Service]\nExecStart=/bin/sh -c 'echo run; kill -9 $$$$'\nRestart=always\n")
    began = time.monotonic()
    services(c, SERVICE_START, "slow")
    wait_for(lambda: count("slow") >= 3, "two more starts")
    assert time.monotonic() - began > 2.9, "1 s, then 2 s"
    until(c, "slow", lambda s: s.state == WAITING)
    found = one(c, "slow", SERVICE_STOP)
    assert found.state == INACTIVE and found.status == -9 and found.restarts >= 2, vars(found)
    unit("clean", "[Service]\nExecStart=/bin/true\nRestart=on-failure\nRestartSec=0\n")
    services(c, SERVICE_START, "clean")
    assert until(c, "clean", lambda s: s.state == INACTIVE).restarts == 0
    unit("told", "[Service]\nExecStart=/bin/sh -c 'exit 7'\nRestart=always\nRestartSec=0\nRestartPreventExitStatus=7 SIGKILL\n")
    services(c, SERVICE_START, "told")
    assert until(c, "told", lambda s: s.state == FAILED).restarts == 0
    unit("fine", "[Service]\nExecStart=/bin/sh -c 'exit 9'\nSuccessExitStatus=9\n")
    services(c, SERVICE_START, "fine")
    until(c, "fine", lambda s: s.state == INACTIVE and s.status == 9)
    unit("killed", f"[Service]\nExecStart=/bin/sh -c '{LOOP}'\nRestart=on-failure\nRestartSec=100ms\n")
    first = one(c, "killed", SERVICE_START).pid
    c.d.run("/bin/kill", "-KILL", str(first))
    again = until(c, "killed", lambda s: s.state == RUNNING and s.pid != first)
    assert again.restarts == 1 and again.status == -9
    assert one(c, "killed", SERVICE_RESTART).pid not in (first, again.pid)
    services(c, SERVICE_STOP, "killed")
    clear()


@test
def nothing_of_a_service_outlives_its_stop(c):
    clear()
    script = c.path("daemon.sh")
    with open(script, "w") as file:
        file.write("""#!/bin/sh
(setsid sh -c 'setsid sleep 71111 & sleep 71111' &) &
setsid sh -c "trap '' TERM; while :; do sleep 71111; done" &
while :; do sleep 0.05; done
""")
    os.chmod(script, 0o755)
    unit("many", f"[Service]\nExecStart={script}\nTimeoutStopSec=1\n")
    services(c, SERVICE_START, "many")
    wait_for(lambda: len(processes(c, "71111")) >= 4, "all of them to run")
    assert one(c, "many", SERVICE_STOP).state == INACTIVE
    assert not processes(c, "71111"), "sessions of their own, orphans, and those that ignore TERM"
    unit("leave", f"[Service]\nExecStart={script}\nKillMode=process\n")
    services(c, SERVICE_START, "leave")
    wait_for(lambda: len(processes(c, "71111")) >= 4, "all of them to run")
    services(c, SERVICE_STOP, "leave")
    assert processes(c, "71111"), "left running on purpose"
    c.d.shell("kill -9 " + " ".join(str(pid) for pid in processes(c, "71111")))
    clear()


@test
def every_type_of_service_starts_and_stops(c):
    clear()
    mark = c.path("mark")
    unit("steps", f"""[Service]
Type=oneshot
RemainAfterExit=yes
ExecStartPre=-/bin/false
ExecStartPre=/bin/sh -c 'echo pre'
ExecStart=/bin/sh -c 'echo one' ; /bin/sh -c 'echo two'
ExecStartPost=/bin/sh -c 'echo post'
ExecReload=/bin/sh -c 'echo reload'
ExecStop=/bin/sh -c 'echo stop'
ExecStopPost=/bin/sh -c 'echo after'
""")
    assert one(c, "steps", SERVICE_START).state == EXITED
    assert one(c, "steps", SERVICE_STOP).state == INACTIVE
    assert log(c, "steps").split() == ["pre", "one", "two", "post", "stop", "after"]
    unit("forks", f"[Service]\nType=forking\nPIDFile={mark}\nExecStart=/bin/sh -c 'setsid sh -c \"echo \\$\\$ > {mark}; exec sleep 72222\" & sleep 0.2'\n")
    found = one(c, "forks", SERVICE_START)
    assert found.state == RUNNING and found.pid == int(open(mark).read()), vars(found)
    c.d.run("/bin/kill", "-KILL", str(found.pid))
    assert "signal 9" in until(c, "forks", lambda s: s.state == FAILED).reason
    mover = c.path("mover.sh")
    with open(mover, "w") as file:
        file.write(f"""#!/bin/sh
sh -c 'trap "setsid sleep 72222 & echo \\$! > {mark}; exit 0" USR2; echo $$ > {mark}; while :; do sleep 0.05; done' &
while ! grep -q $! {mark}; do sleep 0.02; done
""")
    os.chmod(mover, 0o755), os.unlink(mark)
    unit("moves", f"[Service]\nType=forking\nPIDFile={mark}\nExecStart={mover}\n")
    first = one(c, "moves", SERVICE_START)
    assert first.state == RUNNING, vars(first)
    c.d.run("/bin/kill", "-USR2", str(first.pid))
    moved = until(c, "moves", lambda s: s.pid not in (first.pid, None))
    assert moved.state == RUNNING and processes(c, "72222") == [moved.pid], "an upgrade of a daemon is no end of it"
    assert one(c, "moves", SERVICE_STOP).state == INACTIVE and not processes(c, "72222")
    unit("guessed", "[Service]\nType=forking\nExecStart=/bin/sh -c 'setsid sleep 72222 &'\n")
    found = one(c, "guessed", SERVICE_START)
    assert found.state == RUNNING and processes(c, "72222") == [found.pid]
    assert one(c, "guessed", SERVICE_STOP).state == INACTIVE and not processes(c, "72222")
    with open(mark, "w") as file:
        file.write("1\n")
    unit("liar", f"[Service]\nType=forking\nPIDFile={mark}\nTimeoutStartSec=300ms\nExecStart=/bin/sh -c 'setsid sleep 72222 &'\n")
    found = one(c, "liar", SERVICE_START)
    assert found.state == FAILED and "does not name one of its processes" in found.reason and not processes(c, "72222")
    unit("notifies", "[Service]\nType=notify\nExecStart=/bin/sleep 60\n")
    found = one(c, "notifies", SERVICE_START)
    assert found.state == RUNNING and found.unsupported == ["Type=notify"]
    services(c, SERVICE_STOP, "notifies")
    for name, text, reason in (("pre", "ExecStartPre=/bin/sh -c 'exit 4'\nExecStart=/bin/sleep 60", "status 4"), ("none", "ExecStart=/nonesuch", "/nonesuch: No such file"),
                               ("where", "WorkingDirectory=/nonesuch\nExecStart=/bin/true", "working directory /nonesuch"), ("late", "Type=oneshot\nTimeoutStartSec=200ms\nExecStart=/bin/sleep 60", "not done in time"),
                               ("dynamic", "DynamicUser=yes\nExecStart=/bin/true", "DynamicUser=yes is not supported"), ("empty", "User=user", "no ExecStart"), ("quotes", "ExecStart=/bin/echo 'x", "cannot be understood"),
                               ("file", "EnvironmentFile=/nonesuch\nExecStart=/bin/true", "EnvironmentFile=/nonesuch")):
        unit(name, f"[Service]\n{text}\n")
        found = one(c, name, SERVICE_START)
        assert found.state == FAILED and reason in found.reason, (name, vars(found))
    unit("skipped", "[Unit]\nConditionPathExists=!/etc\n[Service]\nExecStart=/bin/true\n")
    found = one(c, "skipped", SERVICE_START)
    assert found.state == INACTIVE and "condition on !/etc" in found.reason
    clear()


@test
def a_unit_gets_its_environment_and_directories(c):
    clear()
    variables = c.path("variables")
    with open(variables, "w") as file:
        file.write("# comment\nFROM_FILE=\"quoted value\"\nPLAIN = a b\nWORD=file\n")
    unit("full@", f"""[Unit]
Description=Instance %i of %p
[Service]
Type=oneshot
User=user
Group=audio
Environment="WORD=one" 'TWO=a b' \\
    # in between
    THREE=%i%%
EnvironmentFile={variables}
EnvironmentFile=-/nonesuch
RuntimeDirectory=full-%i
StateDirectory=full
ExecStart=/bin/sh -c 'echo "$WORD|$TWO|$THREE|$FROM_FILE|$PLAIN|$HOME|$RUNTIME_DIRECTORY|$STATE_DIRECTORY|$1"; id -un; id -gn; stat -c %%U $RUNTIME_DIRECTORY' %n ${{TWO}}
ExecStart=/usr/bin/printf <%%s> $TWO ${{TWO}}x $$TWO $NONE
""")
    os.makedirs(f"{ETC}/full@x.service.d")
    with open(f"{ETC}/full@x.service.d/more.conf", "w") as file:
        file.write("[Service]\nEnvironment=TWO=dropped\\x20in\n[X-Sandglass]\nPort=81\n")
    services(c, SERVICE_START, "full@x")
    found = until(c, "full@x", lambda s: s.state == INACTIVE and s.status == 0)
    assert found.description == "Instance x of full" and found.port == 81, vars(found)
    lines = log(c, "full@x").splitlines()
    assert lines[0] == "file|dropped in|x%|quoted value|a b|/home/user|/run/full-x|/var/lib/full|dropped in", lines
    assert lines[1:4] == ["user", "audio", "user"] and lines[4] == "<dropped><in><dropped inx><$TWO>", lines
    c.d.shell("rm -rf /var/lib/full")
    unit("deep", "[Service]\nType=oneshot\nUser=user\nStateDirectory=deep/a/b deep\nExecStart=/bin/sh -c 'echo $STATE_DIRECTORY; stat -c %%U /var/lib/deep /var/lib/deep/a /var/lib/deep/a/b'\n")
    services(c, SERVICE_START, "deep")
    assert log(c, "deep").split() == ["/var/lib/deep/a/b:/var/lib/deep", "user", "root", "user"], log(c, "deep")
    os.makedirs(c.path("etc/ssh"))
    c.d.shell(f"rm -rf /var/lib/deep/a && ln -s {c.path('etc')} /var/lib/deep/a")
    unit("thief", "[Service]\nType=oneshot\nUser=user\nStateDirectory=deep deep/a/ssh deep/a/new\nExecStart=/bin/true\n")
    found = one(c, "thief", SERVICE_START)
    assert found.state == FAILED and "/var/lib/deep/a/ssh" in found.reason, vars(found)
    assert os.stat(c.path("etc/ssh")).st_uid == 0 and os.listdir(c.path("etc")) == ["ssh"], "a link of the service's user leads nowhere"
    c.d.shell("rm -rf /var/lib/deep")
    for name in ("../out", "deep/../out", "/out", "deep/..", ".", ""):
        unit("out", f"[Service]\nType=oneshot\nUser=user\nStateDirectory=\"{name}\"\nExecStart=/bin/true\n")
        services(c, SERVICE_START, "out")
        assert not os.path.exists("/var/out") and not os.path.exists("/var/lib/out") and os.stat("/var/lib").st_uid == 0, name
    c.d.shell("rm -rf /var/lib/deep")
    os.symlink("/dev/null", f"{ETC}/hidden.service")
    assert "masked" in one(c, "hidden", SERVICE_START).reason
    os.symlink("full@.service", f"{ETC}/alias@.service")
    unit("real", "[Service]\nExecStart=/bin/sleep 60\n")
    os.symlink(f"{ETC}/real.service", f"{ETC}/other.service")
    assert one(c, "other").name == "real"
    raises(Failed, errno.ENOENT, lambda: one(c, "full@"))
    clear()


@test
def health_is_checked(c):
    clear()
    server = c.path("server.py")
    with open(server, "w") as file:
        file.write("""import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(503 if os.path.exists("%s") else 200 if self.path == "/ok" else 404); self.end_headers()
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
""" % c.path("ill"))
    checks = "HealthInterval=1s\nHealthRetries=2\n"
    unit("http", f"[Service]\nExecStart=/usr/bin/python3 {server}\nRestart=on-failure\nRestartSec=100ms\n[X-Sandglass]\nPort=8791\nHealthPath=/ok\n{checks}")
    unit("tcp", f"[Service]\nExecStart=/bin/sleep 60\n[X-Sandglass]\nPort=8792\nHealthTcp=yes\n{checks}")
    unit("command", f"[Service]\nUser=user\nExecStart=/bin/sleep 60\n[X-Sandglass]\nHealthCommand=/bin/sh -c 'test $(id -un) = user'\n{checks}")
    unit("hangs", f"[Service]\nExecStart=/bin/sleep 60\n[X-Sandglass]\nHealthCommand=/bin/sleep 73333\nHealthTimeout=200ms\n{checks}")
    assert [found.health for found in services(c, SERVICE_START, "http", "tcp", "command", "hangs")] == [0] * 4
    first = until(c, "http", lambda s: s.health == 1)
    until(c, "command", lambda s: s.health == 1)
    assert until(c, "tcp", lambda s: s.health == 2).state == RUNNING, "without Restart= it is only said"
    assert until(c, "hangs", lambda s: s.health == 2).state == RUNNING
    open(c.path("ill"), "w").close()
    again = until(c, "http", lambda s: s.restarts == 1 and s.state == RUNNING)
    assert again.pid != first.pid
    os.unlink(c.path("ill"))
    until(c, "http", lambda s: s.health == 1)
    services(c, SERVICE_STOP, "http", "tcp", "command", "hangs")
    assert not processes(c, "73333")
    unit("portless", "[Service]\nExecStart=/bin/sleep 60\n[X-Sandglass]\nHealthTcp=yes\n")
    assert "need a Port=" in one(c, "portless", SERVICE_START).reason
    clear()


POSTURE = "sh -c 'grep -E \"^(Cap|NoNewPrivs|Seccomp|SigBlk|SigIgn|Uid|Gid|Groups)\" /proc/self/status; grep -E \"processes|open files\" /proc/self/limits; cat /proc/self/oom_score_adj; umask; ls /proc/self/fd; pwd'"


@test
def a_service_may_do_what_a_command_may(c):
    clear()
    for user in ("root", "user"):
        unit("posture", f"[Service]\nType=oneshot\nUser={user}\nWorkingDirectory=/\nExecStart=/bin/{POSTURE}\n")
        services(c, SERVICE_START, "posture")
        expected = c.d.shell(f"cd /; {POSTURE}", user=user)
        assert log(c, "posture") == expected, f"{log(c, 'posture')}\n(expected:)\n{expected}"
        clear(), ask(c, SERVICE_RELOAD).wait()
    unit("inherits", "[Service]\nType=oneshot\nExecStart=/usr/bin/env\n")
    c.d.settings(field(6, b"FROM=settings"))
    services(c, SERVICE_START, "inherits")
    c.d.settings(field(6, b""))
    assert "FROM=settings" in log(c, "inherits")
    c.d.settings(field(7, u64(1)))
    unit("crowded", "[Service]\nExecStart=/bin/true\n")
    assert "process limit" in one(c, "crowded", SERVICE_START).reason
    c.d.settings(field(7, u64(0)))
    clear()


@test
def the_log_is_kept_and_can_be_followed(c):
    clear()
    unit("talks", "[Service]\nExecStart=/bin/sh -c 'echo begin; seq 70000; echo end; sleep 60'\n")
    follower = ask(c, SERVICE_LOG, "talks", flags=1)
    services(c, SERVICE_START, "talks")
    follower.wait_output("end\n")
    assert follower.out.startswith(b"begin\n") and not follower.exit
    kept = log(c, "talks")
    assert len(kept) == 262144 and kept.endswith("70000\nend\n"), (len(kept), kept[-20:])
    assert log(c, "talks", more=field(4, u32(5))) == "\nend\n"
    services(c, SERVICE_RESTART, "talks")
    c.d.until(lambda: follower.out.count(b"end\n") == 2, 10, "the follower to go on")
    follower.close()
    services(c, SERVICE_STOP, "talks")
    slow = c.d.new()
    c.d.send(SERVICE, slow.number, field(1, u8(SERVICE_LOG)) + field(2, b"talks"))
    c.d.ping()
    assert not slow.out, "no credit, no output"
    slow.credit(10), c.d.until(lambda: len(slow.out) == 10, 10)
    slow.close()
    raises(Failed, errno.EINVAL, lambda: c.d.finish(ask(c, SERVICE_LOG)), "no service is named")
    raises(Refused, errno.EINVAL, lambda: ask(c, 99).wait(), "malformed")
    clear()


@test
def a_new_daemon_finds_the_services_of_the_old_one(c):
    clear()
    unit("stays", "[Service]\nExecStart=/bin/sleep 60\n")
    pid = one(c, "stays", SERVICE_START).pid
    unit("slow", "[Service]\nType=oneshot\nExecStart=/bin/sleep 60\n")
    waiting = ask(c, SERVICE_START, "slow")
    c.d.ping()
    c.d.disappear()
    c.d = c.agent.daemon(mask=MASK)
    assert one(c, "stays").pid == pid and state(c, "slow") == STARTING and not waiting.exit
    services(c, SERVICE_STOP, "stays", "slow")
    c.d.ping()
    assert not c.d.changes, "it did not ask to be told"
    c.d.settings(field(12, u8(1)))
    services(c, SERVICE_START, "stays"), c.d.ping()
    assert [dict(change)[2] for change in c.d.changes][-1] == bytes([RUNNING])
    services(c, SERVICE_STOP, "stays")
    clear()


@test
def hostile_unit_files_hurt_nobody(c):
    clear()
    os.mkfifo(f"{ETC}/fifo.service")
    os.mkdir(f"{ETC}/directory.service")
    os.symlink("loop.service", f"{ETC}/loop.service")
    os.symlink("/dev/zero", f"{ETC}/zero.service")
    unit("large", "[Service]\nExecStart=/bin/true\n" + "# x\n" * 20000)
    unit("line", "[Service]\nExecStart=/bin/echo " + "x" * 30000 + "\n")
    unit("words", "[Service]\nExecStart=/bin/echo " + "x " * 5000 + "\n")
    with open(f"{ETC}/garbage.service", "wb") as file:
        file.write(os.urandom(5000) + b"\n[Service]\nExecStart=/bin/true\0\n")
    unit("noisy", "[Service]\nExecStart=/bin/true\n" + "".join(f"Unknown{n}=x\n" for n in range(500)))
    for name in ("fifo", "directory", "zero", "large", "line", "words", "garbage"):
        assert one(c, name, SERVICE_START).state == FAILED, name
    assert 30 < len(one(c, "noisy").unsupported) <= 40
    for name, files, size, reason in (("littered", 5000, 0, "has too much in it"), ("stuffed", 33, 10, "has too much in it"), ("heavy", 5, 60000, "drop-ins are too large"), ("fine", 4, 60000, None)):
        unit(name, "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n")
        os.mkdir(f"{ETC}/{name}.service.d")
        for number in range(files):
            with open(f"{ETC}/{name}.service.d/{number}{'.conf' if size else ''}", "w") as file:
                file.write("#\n" * (size // 2))
        found = one(c, name, SERVICE_START)
        assert found.state == FAILED and reason in found.reason if reason else found.state == EXITED, vars(found)
    services(c, SERVICE_STOP, "fine")
    os.makedirs(f"{ETC}/crowd.target.wants")
    for number in range(5000):
        os.symlink("/nonesuch", f"{ETC}/crowd.target.wants/crowd-{number}.service")
    for number in range(400):
        unit(f"crowd-{number}", "[Service]\nExecStart=/bin/true\n")
    known = [found.name for found in services(c, SERVICE_LIST)]
    assert len(known) == 256 and known == sorted(known)
    left_out = next(name for name in (f"crowd-{number}" for number in range(400)) if name not in known)
    raises(Failed, errno.ENOSPC, lambda: services(c, SERVICE_START, left_out))
    for name in ("../web", "a/b", "", ".hidden", "x" * 300, "a b"):
        try:
            services(c, SERVICE_START, name)
            raise AssertionError(f"{name!r} was taken")
        except (Failed, Refused):
            pass
    clear()
    ask(c, SERVICE_RELOAD).wait()
    assert not services(c, SERVICE_LIST), [vars(found) for found in services(c, SERVICE_LIST)]


class Systemctl:
    def __init__(self, c):
        os.makedirs(c.path("bin"), exist_ok=True), os.symlink(os.path.abspath(c.binary), c.path("bin/systemctl"))
        c.d.settings(field(12, u8(1)))
        self.c, self.environment = c, [f"PATH={c.path('bin')}:/usr/bin:/bin"]

    def __call__(self, line, user="root"):
        """Its exit status, what it printed and what it complained of."""
        done = self.c.d.run("/bin/sh", "-c", "exec systemctl " + line, user=user, environment=self.environment)
        return done.exit.status, bytes(done.out).decode().strip(), bytes(done.err).decode().strip()


@test
def systemctl_talks_to_the_agent(c):
    clear()
    ctl = Systemctl(c)
    assert ctl("is-active web") == (4, "inactive", "") and ctl("status web")[0] == 4
    assert ctl("start web") == (5, "", "Unit web: there is no such service")
    unit("web", f"""[Unit]
Description=The web
[Service]
ExecStart=/bin/sh -c 'echo hello; {LOOP}'
ExecReload=/bin/kill -HUP $MAINPID
ExecReload=/bin/echo reloaded
PrivateTmp=yes
[Install]
WantedBy=multi-user.target
Alias=www.service
""")
    assert ctl("is-enabled web.service") == (1, "disabled", "")
    status, out, complaint = ctl("enable --now web.service")
    assert status == 0 and f"Created symlink {ETC}/multi-user.target.wants/web.service → {ETC}/web.service." in complaint and "PrivateTmp=yes" in complaint, complaint
    assert os.readlink(f"{ETC}/multi-user.target.wants/web.service") == f"{ETC}/web.service" and os.path.islink(f"{ETC}/www.service")
    assert ctl("is-enabled web") == (0, "enabled", "") and ctl("is-active web www") == (0, "active\nactive", "") and ctl("-q is-active www") == (0, "", "")
    found = one(c, "web")
    assert found.enabled and found.state == RUNNING
    status, out, complaint = ctl("status web --no-pager")
    assert status == 0 and "● web.service - The web" in out and "active (running) since 20" in out and f"Main PID: {found.pid}" in out, out
    assert "Ignored: PrivateTmp=yes" in out and out.endswith("hello"), out
    assert ctl("show -p MainPID,ActiveState --value web") == (0, f"active\n{found.pid}", "")
    assert ctl("-p LoadState show nonesuch") == (0, "LoadState=not-found", "")
    assert "FragmentPath=" in ctl("show web")[1] and ctl("cat web")[1].startswith(f"# {ETC}/web.service\n[Unit]")
    status, out, complaint = ctl("list-units --type=service --no-legend")
    assert status == 0 and "web.service" in out and "running" in out
    assert ["web.service", "enabled"] in [line.split() for line in ctl("list-unit-files --no-legend")[1].splitlines()]
    assert ctl("--state=failed list-units --no-legend") == (0, "", "")
    assert ctl("reload web")[0] == 0
    until(c, "web", lambda s: s.state == INACTIVE and s.status == -1)  # HUP ends a shell, and that is a clean end
    assert "reloaded" in log(c, "web")
    unit("bad", "[Service]\nExecStart=/bin/false\n")
    ctl("start bad"), until(c, "bad", lambda s: s.state == FAILED)
    assert ctl("is-failed bad") == (0, "failed", "") and ctl("is-active bad web") == (3, "failed\ninactive", "") and ctl("is-system-running")[1] == "degraded"
    assert ctl("reset-failed") == (0, "", "") and ctl("is-failed bad") == (1, "inactive", "")
    assert ctl("try-restart web")[0] == 0 and state(c, "web") == INACTIVE
    assert ctl("--no-block restart web")[0] == 0
    first = until(c, "web", lambda s: s.state == RUNNING).pid
    assert ctl("try-restart web.service")[0] == 0 and one(c, "web").pid != first
    assert ctl("kill -s KILL web")[0] == 0 and until(c, "web", lambda s: s.state == FAILED).status == -9
    assert ctl("disable --now web")[0] == 0 and not os.path.lexists(f"{ETC}/www.service") and not os.path.lexists(f"{ETC}/multi-user.target.wants/web.service")
    unit("bad", "[Service]\nUser=nonesuch\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n")
    status, out, complaint = ctl("start bad")
    assert status == 1 and "unknown user nonesuch" in complaint, complaint
    os.unlink(f"{ETC}/bad.service")
    assert ctl("mask bad")[0] == 0 and os.readlink(f"{ETC}/bad.service") == "/dev/null" and ctl("is-enabled bad")[1] == "masked"
    assert "masked" in ctl("start bad")[2] and ctl("unmask bad")[0] == 0 and not os.path.lexists(f"{ETC}/bad.service")
    for line, wanted in (("frobnicate x", "frobnicate is not supported"), ("start", "no unit is named"), ("--nonesuch start x", "unknown option"),
                         ("start x.timer", "not supported in a sandbox"), ("--user start x", "one manager")):
        status, out, complaint = ctl(line)
        assert status != 0 and wanted in complaint, (line, status, complaint)
    assert ctl("is-active sysinit.target") == (0, "active", "") and ctl("start network-online.target") == (0, "", "") and ctl("daemon-reload") == (0, "", "")
    clear()


@test
def debians_scripts_find_what_they_ask_for(c):
    clear()
    ctl = Systemctl(c)
    unit("pack", "[Service]\nExecStart=/bin/sleep 60\n[Install]\nWantedBy=multi-user.target\n")
    with open(f"{ETC}/pack.timer", "w") as file:
        file.write("[Timer]\nOnCalendar=daily\n[Install]\nWantedBy=timers.target\n")
    assert ctl("--root=/ --system --preset-mode=enable-only preset pack.service")[0] == 0 and ctl("is-enabled -- pack.service")[1] == "enabled"
    status, out, complaint = ctl("--root=/ --system --preset-mode=enable-only preset pack.timer")
    assert status == 0 and "not supported in a sandbox" in complaint and os.path.islink(f"{ETC}/timers.target.wants/pack.timer")
    assert ctl("--system --quiet is-active -- pack.service")[0] == 3
    assert ctl("--quiet --system start pack.service") == (0, "", "") and ctl("--system --quiet is-active -- pack.service")[0] == 0
    assert ctl("show --value --property SourcePath pack.service") == (0, "", "") and ctl("-p CanReload show pack")[1] == "CanReload=no"
    assert ctl("--quiet is-system-running")[0] == 0
    assert ctl("stop pack.timer pack.service")[0] == 0 and state(c, "pack") == INACTIVE
    assert ctl("--root=/ --quiet disable pack")[0] == 0 and ctl("is-enabled pack")[1] == "disabled"
    clear()


STRANGER = """
import os, socket, struct, sys, time
def connect():
    s = socket.socket(socket.AF_UNIX); s.connect("\\0sandglass-services"); return s
field = lambda tag, value: struct.pack(">BI", tag, len(value)) + value
request = lambda *parts: struct.pack(">I", len(b"".join(parts))) + b"".join(parts)
silent = [connect() for _ in range(60)]
half = connect(); half.send(b"\\0\\0\\1"); 
large = connect(); large.send(struct.pack(">I", 1 << 30))
print("large", large.recv(10))
deaf = connect(); deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1); deaf.send(request(field(1, b"\\6"), field(2, b"talks")))
for trick in (request(field(1, b"\\3"), field(2, b"talks")), request(field(1, b"\\1"), field(1, b"\\3"), field(2, b"talks")), request(field(1, b"\\3"), field(1, b"\\1"), field(2, b"talks")), request(b"junk")):
    one = connect(); one.send(trick)
    print("only root" if b"only root" in one.recv(1000) else "taken")
forged = connect()
try: forged.sendmsg([request(field(1, b"\\3"), field(2, b"talks"))], [(1, 2, struct.pack("3i", os.getpid(), 0, 0))]); print(forged.recv(1000))
except PermissionError: print("only root")
print("ready", flush=True)
time.sleep(60)
"""


CURIOUS = """
import socket, struct
field = lambda tag, value: struct.pack(">BI", tag, len(value)) + value
def ask(operation, *names):
    s = socket.socket(socket.AF_UNIX); s.connect("\\0sandglass-services")
    request = field(1, operation) + b"".join(field(2, name) for name in names)
    s.sendall(struct.pack(">I", len(request)) + request)
    answer = b""
    while part := s.recv(65536): answer += part
    return answer
for template in (b"spare", b"brought"):
    for first in range(0, 600, 100):
        names = [template + b"@%d" % number for number in range(first, first + 100)]
        answer = ask(b"\\1", *names)
        assert all(name in answer for name in names), answer
        ask(b"\\6", names[0])
print("asked")
"""


@test
def what_strangers_ask_for_takes_nobodys_place(c):
    clear(), ask(c, SERVICE_RELOAD).wait()
    Systemctl(c)
    unit("spare@", "[Service]\nExecStart=/bin/sleep 60\n")
    with open("/run/systemd/system/brought@.service", "w") as file:
        file.write("[Service]\nExecStart=/bin/sleep 60\n")
    runs = one(c, "spare@runs", SERVICE_START)
    assert c.d.shell(f"python3 -c '{CURIOUS}'", user="user") == "asked\n"
    assert [found.name for found in services(c, SERVICE_LIST)] == ["spare@runs"], "what nobody uses is not listed"
    unit("new", "[Service]\nExecStart=/bin/sleep 60\n")
    assert one(c, "new", SERVICE_START).state == RUNNING
    assert {found.name for found in services(c, SERVICE_LIST)} == {"new", "spare@runs"} and one(c, "spare@runs").pid == runs.pid
    services(c, SERVICE_STOP, "new", "spare@runs")
    os.unlink("/run/systemd/system/brought@.service")
    clear(), ask(c, SERVICE_RELOAD).wait()


@test
def strangers_change_nothing_and_hold_nobody_up(c):
    clear()
    ctl = Systemctl(c)
    unit("talks", "[Service]\nExecStart=/bin/sh -c 'seq 70000; exec sleep 60'\n[Install]\nWantedBy=multi-user.target\n")
    services(c, SERVICE_START, "talks")
    assert ctl("is-active talks", user="user") == (0, "active", "") and ctl("status talks", user="nobody")[0] == 0
    for line in ("stop talks", "restart talks", "kill talks", "enable talks", "daemon-reload", "reset-failed", "mask talks"):
        status, out, complaint = ctl(line, user="user")
        assert status != 0 and complaint, (line, status, out, complaint)
    assert state(c, "talks") == RUNNING and not one(c, "talks").enabled
    stranger = c.d.start("python3", "-c", STRANGER, user="user")
    stranger.wait_output("ready")
    assert stranger.out.decode().split("\n")[:6] == ["large b''"] + ["only root"] * 5, bytes(stranger.out)
    assert state(c, "talks") == RUNNING
    began = time.monotonic()
    assert ctl("is-active talks")[0] == 0 and time.monotonic() - began < 4, "while others say nothing or read nothing"
    stranger.signal(9), stranger.wait()
    services(c, SERVICE_STOP, "talks")
    clear()
