# SPDX-License-Identifier: Apache-2.0
"""The daemon's side of docs/guest-protocol.md, as small as a test needs it. Standard library only."""
import os, select, struct, threading, time

MAGIC = b"sandglass-guest\0"
HELLO, START, DATA, EOF, CREDIT, SIGNAL, RESIZE, ATTACH, DETACH, CLOSE, FILE, CONNECT, PING, SETTINGS, SHUTDOWN, QUERY, SERVICE = range(1, 18)
WELCOME, COMMAND, READY, STARTED, OUTPUT, GRANT, EXIT, ERROR, PONG, ENDED, EXTENT, CHANGED = range(0x81, 0x8D)
READ, WRITE, STAT, LIST, MKDIR, MOVE, REMOVE, SET, XATTR_GET, XATTR_SET, XATTR_REMOVE, WATCH, PACK, UNPACK, LINK, DELETED, PROCESSES = range(1, 18)
ALL_CAPABILITIES = (1 << 41) - 1


def field(tag, value):
    return struct.pack(">BI", tag, len(value)) + value


def u8(value): return struct.pack(">B", value)
def u32(value): return struct.pack(">I", value)
def u64(value): return struct.pack(">Q", value)
def text(value): return value if isinstance(value, bytes) else value.encode()


def fields(data):
    """A list of (tag, bytes)."""
    found, at = [], 0
    while at < len(data):
        tag, length = struct.unpack_from(">BI", data, at)
        assert at + 5 + length <= len(data), "a field reaches over the end"
        found.append((tag, data[at + 5:at + 5 + length]))
        at += 5 + length
    return found


def records(data):
    """A list of dictionaries tag -> bytes out of `u32 length, fields`; and what is left."""
    found, at = [], 0
    while at + 4 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        if at + 4 + length > len(data):
            break
        found.append(dict(fields(data[at + 4:at + 4 + length])))
        at += 4 + length
    return found, data[at:]


class Entry:
    def __init__(self, record):
        self.name, self.kind, self.path = record[1], record[2].decode(), record.get(11)
        self.mode, self.uid, self.gid = (struct.unpack(">I", record[tag])[0] for tag in (3, 4, 5))
        self.size, = struct.unpack(">Q", record[6])
        self.mtime, = struct.unpack(">q", record[7])
        self.target, self.owner, self.group = record.get(8), record.get(9), record.get(10)


class Exit:
    def __init__(self, payload):
        (self.status, self.flags, self.user, self.system, self.peak, self.end, self.time) = struct.unpack(">iIQQQQQ", payload)


class Refused(Exception):
    def __init__(self, payload):
        (self.errno, self.what), self.text = struct.unpack(">IB", payload[:5]), payload[5:].decode(errors="replace")
        super().__init__(f"errno {self.errno} ({self.what}): {self.text}")


class Failed(Exception):
    """A file operation that ended with status 1."""
    def __init__(self, payload):
        found = dict(fields(payload))
        self.errno, self.text = struct.unpack(">I", found[1])[0], found[2].decode(errors="replace")
        super().__init__(f"errno {self.errno}: {self.text}")


class Stream:
    def __init__(self, daemon, number):
        self.daemon, self.number = daemon, number
        self.out, self.err, self.all = bytearray(), bytearray(), []
        self.offset, self.room, self.credit_given, self.received = 0, 65536, 0, 0
        self.started = self.exit = self.error = None
        self.ended = False
        self.auto = True  # gives credit back as bytes come
        self.command = None
        self.step = None  # the longest DATA frame; as long as the agent takes

    def take(self, kind, payload):
        if kind == STARTED:
            self.started = struct.unpack(">IQ", payload)
        elif kind == OUTPUT:
            which, offset = struct.unpack_from(">BQ", payload)
            data = payload[9:]
            assert self.command is None or True
            assert offset == self.offset or self.received == 0, f"offset {offset} (expected: {self.offset})"
            assert len(data) > 0 and which in (1, 2)
            self.offset = offset + len(data)
            self.received += len(data)
            assert self.received <= self.credit_given, f"{self.received} bytes over the credit {self.credit_given}"
            (self.out if which == 1 else self.err).extend(data)
            self.all.append((which, offset, data))
            if self.auto and self.credit_given - self.received < 131072:
                self.credit(262144)
        elif kind == GRANT:
            self.room += struct.unpack(">I", payload)[0]
        elif kind == EXIT:
            self.exit = Exit(payload)
        elif kind == ERROR:
            self.error = Refused(payload)
        elif kind == ENDED:
            self.ended = True

    def credit(self, count):
        self.credit_given += count
        self.daemon.send(CREDIT, self.number, u32(count))

    def attach(self, offset=0, credit=262144):
        self.credit_given = self.received + credit
        self.offset = offset
        self.received_before = self.received
        self.daemon.send(ATTACH, self.number, u64(offset) + u32(credit))

    def detach(self): self.daemon.send(DETACH, self.number)
    def close(self): self.daemon.send(CLOSE, self.number)
    def signal(self, number): self.daemon.send(SIGNAL, self.number, u8(number))
    def resize(self, columns, rows): self.daemon.send(RESIZE, self.number, struct.pack(">HH", columns, rows))
    def eof(self): self.daemon.send(EOF, self.number)

    def data(self, data, timeout=60):
        """Sends within the credit, handling what comes meanwhile."""
        view = memoryview(bytes(data))
        while view:
            self.daemon.until(lambda: self.room > 0 or self.error or self.exit, timeout, "credit for DATA")
            if self.error or self.exit:
                return
            part = view[:min(self.step or self.daemon.longest - 8, self.room)]
            self.room -= len(part)
            self.daemon.send(DATA, self.number, bytes(part))
            view = view[len(part):]

    def wait(self, timeout=60):
        """Until EXIT; ERROR is raised."""
        self.daemon.until(lambda: self.exit or self.error, timeout, f"the end of stream {self.number}")
        if self.error:
            raise self.error
        return self.exit

    def wait_started(self, timeout=60):
        self.daemon.until(lambda: self.started or self.error, timeout, f"the start of stream {self.number}")
        if self.error:
            raise self.error
        return self.started[0]

    def wait_output(self, wanted, timeout=60):
        self.daemon.until(lambda: text(wanted) in self.out or self.error, timeout, f"{wanted!r} in {bytes(self.out[-200:])!r}")


class Daemon:
    """One end of the two FIFOs. Single-threaded: `until` reads frames until a condition holds."""

    def __init__(self, into, out):
        self.into, self.out = os.open(into, os.O_RDWR), os.open(out, os.O_RDWR | os.O_NONBLOCK)
        self.buffer, self.streams, self.next, self.pongs = bytearray(), {}, 1, []
        self.partial = {}
        self.synced = False
        self.widest = self.longest = 4096
        self.log = []
        self.changes = []

    def disappear(self):
        os.close(self.into), os.close(self.out)

    def send(self, kind, stream, payload=b"", flags=0):
        frame = struct.pack(">HBBI", len(payload), kind, flags, stream) + payload
        assert len(frame) <= (self.longest if kind == DATA else 4096)
        view = memoryview(frame)
        while view:
            readable, writable, _ = select.select([self.out], [self.into], [], 10)
            assert readable or writable, "the agent reads nothing"
            if writable:
                view = view[os.write(self.into, view):]
            elif not self.pump_once(0):
                time.sleep(0.001)

    def end_half(self):
        """As every daemon does before HELLO, for the sake of halves that the one before it may have left."""
        view = memoryview(bytes(65536))
        while view:
            view = view[os.write(self.into, view):]

    def send_message(self, kind, stream, payload, step=4088):
        while len(payload) > step:
            self.send(kind, stream, payload[:step], 1)
            payload = payload[step:]
        self.send(kind, stream, payload)

    def pump_once(self, timeout):
        """Reads what is there; False: nothing came."""
        readable, _, _ = select.select([self.out], [], [], timeout)
        if not readable:
            return False
        try:
            self.buffer += os.read(self.out, 65536)
        except BlockingIOError:
            return False
        if not self.synced and not self.find_welcome():
            return True
        while len(self.buffer) >= 8:
            length, kind, flags, stream = struct.unpack_from(">HBBI", self.buffer)
            assert length <= self.widest - 8 and flags <= 1 and 0x81 <= kind <= 0x8C, f"broken frame {bytes(self.buffer[:16])!r}"
            if len(self.buffer) < 8 + length:
                break
            payload = bytes(self.buffer[8:8 + length])
            del self.buffer[:8 + length]
            self.handle(kind, flags, stream, payload)
        return True

    def find_welcome(self):
        at = self.buffer.find(MAGIC + self.nonce)
        if at < 0:
            del self.buffer[:-40]
            return False
        assert at >= 8
        del self.buffer[:at - 8]
        self.synced = True
        return True

    def handle(self, kind, flags, number, payload):
        self.log.append((kind, number))
        if flags & 1:
            assert kind in (WELCOME, COMMAND)
            self.partial[number] = self.partial.get(number, b"") + payload
            return
        payload = self.partial.pop(number, b"") + payload
        if kind == WELCOME:
            self.version, = struct.unpack(">H", payload[32:34])
            self.facts = dict(fields(payload[34:]))
            self.next = max(self.next, struct.unpack(">I", self.facts[3])[0] + 1)
            self.longest, = struct.unpack(">I", self.facts[6])
        elif kind == READY:
            self.ready = True
        elif kind == CHANGED:
            self.changes.append(fields(payload))
        elif kind == PONG:
            self.pongs.append(payload)
        elif kind == COMMAND:
            stream = self.streams.setdefault(number, Stream(self, number))
            stream.command = Command(fields(payload))
            stream.room = stream.command.credit
        elif number in self.streams:
            self.streams[number].take(kind, payload)
        else:
            raise AssertionError(f"frame {kind:#x} on unknown stream {number}")

    def until(self, condition, timeout=60, what="a condition"):
        deadline = time.monotonic() + timeout
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"waited {timeout} s for {what}")
            self.pump_once(min(left, 0.5))

    def quiet(self, seconds):
        """Handles frames for a while."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.pump_once(left)

    def hello(self, mask=ALL_CAPABILITIES, no_new_privileges=True, sudo=False, memory=0, environment=(), hostname=None, share=None, generation=None, widest=None, step=4088):
        self.nonce, self.ready, self.synced = os.urandom(16), False, False
        self.buffer.clear()
        settings = field(1, u64(mask)) + field(2, u8(no_new_privileges)) + field(3, u64(memory)) + field(4, u8(sudo))
        settings += field(8, u8(share)) if share is not None else b""
        settings += b"".join(field(6, text(entry)) for entry in environment)
        if generation is not None:
            settings += field(9, u64(generation))
        if widest is not None:
            settings += field(10, u32(widest))
        self.widest = min(max(widest or 0, 4096), 65536)
        if hostname:
            settings += field(5, text(hostname))
        self.send_message(HELLO, 0, MAGIC + self.nonce + settings, step)
        self.until(lambda: self.ready, 30, "READY")
        return self

    def settings(self, *parts):
        self.send(SETTINGS, 0, b"".join(parts))

    def ping(self, data=b"ping"):
        count = len(self.pongs)
        self.send(PING, 0, data)
        self.until(lambda: len(self.pongs) > count, 10, "PONG")
        assert self.pongs[-1] == data

    def new(self):
        stream = Stream(self, self.next)
        self.streams[self.next] = stream
        self.next += 1
        return stream

    def start(self, *arguments, environment=(), directory=None, user=None, pty=None, stdin=False, hold=True, keep=None,
              limit=None, attach=True, step=4088):
        stream = self.new()
        payload = b"".join(field(1, text(a)) for a in arguments) + b"".join(field(2, text(e)) for e in environment)
        if directory: payload += field(3, text(directory))
        if user: payload += field(4, text(user))
        if pty: payload += field(5, struct.pack(">HH", *pty))
        payload += field(6, u32((1 if stdin else 0) | (2 if hold else 0)))
        if keep is not None: payload += field(7, u32(keep))
        if limit is not None: payload += field(8, u64(limit))
        self.send_message(START, stream.number, payload, step)
        if attach:
            stream.attach()
        return stream

    def run(self, *arguments, timeout=60, **options):
        """Starts, waits for the end, closes; returns the stream."""
        stream = self.start(*arguments, **options)
        stream.wait(timeout)
        stream.close()
        return stream

    def shell(self, script, **options):
        stream = self.run("/bin/sh", "-c", script, **options)
        return bytes(stream.out).decode()

    def file(self, operation, path, *parts, user=None, flags=0, credit=262144):
        stream = self.new()
        payload = field(1, u8(operation)) + field(2, text(path)) + field(5, u32(flags)) + b"".join(parts)
        if user: payload += field(4, text(user))
        self.send_message(FILE, stream.number, payload)
        if credit:
            stream.credit(credit)
        return stream

    def finish(self, stream, timeout=60):
        if stream.wait(timeout).status:
            raise Failed(bytes(stream.err))
        assert not stream.err
        return bytes(stream.out)

    def do(self, operation, path, *parts, data=None, timeout=60, **options):
        stream = self.file(operation, path, *parts, **options)
        if data is not None:
            stream.data(data)
            stream.eof()
        return self.finish(stream, timeout)

    def entry(self, *arguments, **options):
        found, rest = records(self.do(*arguments, **options))
        assert len(found) == 1 and not rest
        return Entry(found[0])

    def read(self, path, *parts, **options):
        data = self.do(READ, path, *parts, **options)
        (length,) = struct.unpack(">I", data[:4])
        return data[4 + length:]

    def write(self, path, data, *parts, **options):
        return self.entry(WRITE, path, *parts, data=data, **options)

    def list(self, path, depth=1, **options):
        found, rest = records(self.do(LIST, path, field(9, u32(depth)), **options))
        assert not rest
        return [Entry(record) for record in found]

    def connect(self, port, credit=262144):
        stream = self.new()
        stream.room = 0
        self.send(CONNECT, stream.number, struct.pack(">H", port))
        if credit:
            stream.credit(credit)
        return stream


class Command:
    def __init__(self, found):
        one = dict(found)
        self.pid, = struct.unpack(">I", one[1])
        self.start, self.oldest, self.end = (struct.unpack(">Q", one[tag])[0] for tag in (2, 3, 4))
        self.flags, = struct.unpack(">I", one[5])
        self.arguments = [value for tag, value in found if tag == 6]
        self.exit = Exit(one[7]) if 7 in one else None
        self.directory, self.user = one.get(8), one.get(9)
        self.credit, = struct.unpack(">I", one[10])
