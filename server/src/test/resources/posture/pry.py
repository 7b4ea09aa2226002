# Tries to read and trace PID 1 and every process that still is what PID 1 is, until TERM; says what came of it.
import ctypes, os, signal

libc = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH, EFAULT = 16, 14
found = set()


class Part(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def pry(pid):
    try:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
            found.add(f"mem of {pid}")
    except OSError:
        pass
    byte = ctypes.create_string_buffer(1)
    here, there = Part(ctypes.addressof(byte), 1), Part(0x1000, 1)
    if libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) >= 0 or ctypes.get_errno() == EFAULT:
        found.add(f"process_vm_readv of {pid}")
    if libc.ptrace(PTRACE_ATTACH, pid, 0, 0) == 0:
        found.add(f"ptrace of {pid}")


def is_agent(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe").endswith("/agent")
    except OSError:
        return False


def stop(*_):
    print(", ".join(sorted(found)) or "nothing", flush=True)
    os._exit(0)


signal.signal(signal.SIGTERM, stop)
while True:
    pry(1)
    for pid in os.listdir("/proc"):
        if pid.isdigit() and int(pid) != 1 and is_agent(pid):
            pry(int(pid))
