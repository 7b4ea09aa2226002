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
    c.d.settings(field(12, u8(1)))
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
