# Things that the kernel counts. `take WHAT`: takes as many as it can get, as several users, says how many and holds them.
# `one WHAT`: takes one and says so.
import ctypes, errno, fcntl, os, resource, signal, socket, struct, sys, time

libc = ctypes.CDLL(None, use_errno=True)
held = []
signal.pthread_sigmask(signal.SIG_BLOCK, range(signal.SIGRTMIN, signal.SIGRTMAX))


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def inotify():
    checked(libc.inotify_init1(0))


def terminal():
    held.append(os.openpty())


def queue():
    attributes = struct.pack("8q", 0, 10, 8192, 0, 0, 0, 0, 0)
    name = f"/{os.getpid()}-{len(held)}".encode()
    held.append(checked(libc.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, attributes)))
    libc.mq_unlink(name)


def pending_signal():
    libc.sigqueue.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
    checked(libc.sigqueue(os.getpid(), signal.SIGRTMIN, None))


def pipe():
    held.append(os.pipe())
    if fcntl.fcntl(held[-1][0], 1032) < 65536:
        raise OSError(errno.ENOBUFS, "a small pipe")


def connection():
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    other, _ = server.accept()
    held.append((server, client, other))
    client.settimeout(20)
    other.settimeout(20)
    client.sendall(b"x" * 100000)
    received = 0
    while received < 100000:
        received += len(other.recv(1 << 16))
    client.setblocking(False)
    if sys.argv[1] == "take":
        try:
            while True:
                client.send(b"x" * 100000)
        except BlockingIOError:
            pass


# The most that is tried, each more than the machine's usual limit, and as how many users.
MOST = {inotify: (1000, 4), terminal: (5000, 1), queue: (100, 20), pending_signal: (10000, 30),
        pipe: (6000, 4), connection: (200, 1)}
what = globals()[sys.argv[2]]
most, users = MOST[what]
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
try:
    if sys.argv[1] == "one":
        what()
        print("got one")
        sys.exit()
    parent = os.getpid()
    ready, said = os.pipe()
    for user in range(1, users):
        if os.fork() == 0:
            os.setuid(3000 + user)
            break
    taken, why = 0, "as many as it wanted"
    try:
        while taken < most:
            what()
            taken += 1
    except OSError as refused:
        why = str(refused)
    os.write(said, f"{taken} {why}\n".encode())
    if os.getpid() == parent:
        lines = open(ready)
        print("; ".join(lines.readline().strip() for _ in range(users)), flush=True)
    time.sleep(600)
except OSError as refused:
    print(refused.strerror)
