"""Prints what a process in a sandbox is and may do, one fact per line, the same on every host."""
import ctypes, errno, os, socket, stat, struct, sys

libc = ctypes.CDLL(None, use_errno=True)


def status(process):
    wanted = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
    for line in open(f"/proc/{process}/status"):
        key, _, value = line.partition(":")
        if key in wanted:
            print(f"{process} {key} {value.strip()}")


def refused(name, number, *arguments):
    result = libc.syscall(number, *[ctypes.c_long(a) for a in arguments])
    print("call", name, "->", result if result >= 0 else errno.errorcode[ctypes.get_errno()])


def attempt(name, action):
    try:
        print(name, "->", action())
    except OSError as problem:
        print(name, "->", errno.errorcode[problem.errno])


def make_device():
    try:
        os.mknod("/tmp/device", stat.S_IFBLK | 0o600, os.makedev(8, 0))
        os.close(os.open("/tmp/device", os.O_RDONLY))
        return "OPEN"
    finally:
        if os.path.lexists("/tmp/device"):
            os.unlink("/tmp/device")


def masked(paths):
    for path in paths:
        try:
            shown = len(os.listdir(path)) if os.path.isdir(path) else len(open(path, "rb").read(1))
        except OSError:
            shown = 0
        if shown:
            print("NOT MASKED", path)


status("self")
if os.getuid() == 0:
    status("1")
print("ids", os.getresuid(), os.getresgid())
print("uid_map", " ".join(open("/proc/self/uid_map").read().split()))
print("descriptors", sorted(int(fd) for fd in os.listdir("/proc/self/fd") if os.path.lexists("/proc/self/fd/" + fd)))
print("cgroup", sorted({line.strip().split(":")[2] for line in open("/proc/self/cgroup")}))
for place, _, names in sorted(os.walk("/dev")):
    for name in sorted(names):
        node = os.lstat(os.path.join(place, name))
        if stat.S_ISCHR(node.st_mode) or stat.S_ISBLK(node.st_mode):
            print("device", os.path.join(place, name), f"{os.major(node.st_rdev)}:{os.minor(node.st_rdev)}")
hidden = sys.argv[1].split(",")
mounts = set()
for line in open("/proc/self/mounts"):
    _, place, kind, options = line.split()[:4]
    if place not in hidden and not place.startswith(("/proc/", "/dev/", "/sys/fs/cgroup/")) or place in ("/dev/pts", "/dev/shm", "/dev/mqueue"):
        mounts.add(f"mount {place} " + " ".join(o for o in ("ro", "rw", "nosuid", "nodev", "noexec") if o in options.split(",")))
print(*sorted(mounts), sep="\n")
masked(hidden)
attempt("write /proc/sys/kernel/core_pattern", lambda: os.write(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY), b"x"))
attempt("write /proc/sysrq-trigger", lambda: os.write(os.open("/proc/sysrq-trigger", os.O_WRONLY), b"?"))
attempt("make a device and open it", make_device)
attempt("open a raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close())
attempt("open AF_ALG", lambda: socket.socket(38, socket.SOCK_SEQPACKET, 0).close())
attempt("open AF_VSOCK", lambda: socket.socket(40, socket.SOCK_STREAM, 0).close())
text = ctypes.create_string_buffer(b"/tmp")
at = ctypes.addressof(text)
refused("mount", 165, at, at, at, 4096, 0)
refused("umount2", 166, at, 0)
refused("pivot_root", 155, at, at)
refused("unshare user", 272, 0x10000000)
refused("unshare mount", 272, 0x20000)
refused("setns", 308, 0, 0)
refused("clone new user", 56, 0x10000000 | 17, 0, 0, 0, 0)
refused("clone new network", 56, 0x40000000 | 17, 0, 0, 0, 0)
refused("bpf", 321, 0, 0, 0)
refused("perf_event_open", 298, 0, 0, 0, 0, 0)
refused("io_uring_setup", 425, 1, at)
refused("add_key", 248, at, at, 0, 0, 0)
refused("request_key", 249, at, at, 0, 0)
refused("keyctl", 250, 0, 0)
refused("userfaultfd", 323, 0)
refused("name_to_handle_at", 303, -100, at, at, at, 0)
refused("open_by_handle_at", 304, -100, at, 0)
refused("kexec_load", 246, 0, 0, 0, 0)
refused("kexec_file_load", 320, 0, 0, 0, 0, 0)
refused("init_module", 175, 0, 0, 0)
refused("finit_module", 313, 0, 0, 0)
refused("reboot", 169, 0, 0, 0, 0)
refused("swapon", 167, at, 0)
refused("settimeofday", 164, at, 0)
refused("clock_settime", 227, 0, at)
refused("syslog", 103, 3, at, 1)
refused("open_tree", 428, -100, at, 1)
refused("move_mount", 429, -100, at, -100, at, 0)
refused("fsopen", 430, at, 0)
refused("mount_setattr", 442, -100, at, 0, 0, 0)
refused("fanotify_init", 300, 0, 0)
refused("quotactl", 179, 0, 0, 0, 0)
refused("TIOCSTI", 16, 0, 0x5412, at)
refused("TIOCSTI with a high bit", 16, 0, 0x100005412, at)
refused("TIOCLINUX", 16, 0, 0x541C, at)
refused("personality", 135, 0x0400000)
refused("sethostname", 170, at, 4)
