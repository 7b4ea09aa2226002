# What a process is allowed to do and can see, without what differs from one sandbox to the next. With an argument: the same of
# the agent's own workers, which bear its name.
import os, sys

WANTED = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Uid", "Gid", "Groups")


def status(pid):
    with open(f"/proc/{pid}/status") as lines:
        found = dict(line.rstrip("\n").split(":", 1) for line in lines if ":" in line)
    return [f"{name}: {' '.join(sorted(found[name].split()))}" for name in WANTED if name in found]


def workers():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if pid != "1" and open(f"/proc/{pid}/comm").read() == open("/proc/1/comm").read():
                found += [line for line in status(pid) if line not in found]
        except OSError:
            pass  # it has ended meanwhile
    return found


def mounts():
    found = set()
    for line in open("/proc/self/mountinfo"):
        point, options = line.split()[4], line.split()[5].split(",")
        kept = [o for o in options if o in ("ro", "rw", "nosuid", "nodev", "noexec")]
        if not point.startswith(("/proc/", "/sys/")):  # what is there depends on the host's kernel; other tests try their effect
            found.add(f"mount {point} {','.join(sorted(kept))}")
    return sorted(found)


def descriptors():
    found = []
    for number in sorted(map(int, os.listdir("/proc/self/fd"))):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass  # that of the listing itself
    return " ".join(map(str, found))


if len(sys.argv) > 1:
    print("\n".join(workers()))
    sys.exit()
for line in status("self"):
    print(line)
print("descriptors:", descriptors())
for name in ("uid_map", "gid_map"):
    print(name + ":", " ".join(open("/proc/self/" + name).read().split()))
print("cgroup:", *sorted({line.strip().split(":", 2)[2] for line in open("/proc/self/cgroup")}))
if os.getuid() == 0:
    print("# PID 1")
    for line in status(1):
        print(line)
    print("# mounts")
    for line in mounts():
        print(line)
