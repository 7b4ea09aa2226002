# SPDX-License-Identifier: Apache-2.0
"""Connections to ports of the sandbox."""
import errno, os, socket, struct, threading

from fixture import *


class Server(threading.Thread):
    def __init__(self, handle, family=socket.AF_INET, address="127.0.0.1"):
        super().__init__(daemon=True)
        self.socket, self.handle = socket.socket(family), handle
        self.socket.bind((address, 0)), self.socket.listen(5)
        self.port = self.socket.getsockname()[1]
        self.start()

    def run(self):
        while True:
            connection, _ = self.socket.accept()
            with connection:
                try:
                    self.handle(connection)
                except OSError:
                    pass  # the other side went away


def read_all(connection):
    data = b""
    while part := connection.recv(65536):
        data += part
    return data


@test
def connections_carry_bytes_both_ways(c):
    blob = os.urandom(3 << 20)
    server = Server(lambda connection: connection.sendall(read_all(connection)[::-1]))
    stream = c.d.connect(server.port)
    c.d.until(lambda: stream.room == 65536, 5, "CREDIT")
    stream.data(blob)
    c.d.quiet(0.05)
    assert not stream.out
    stream.eof()  # half-closed: the answer comes only now
    exit = stream.wait()
    assert exit.status == 0 and bytes(stream.out) == blob[::-1] and stream.ended and exit.end == len(blob)
    first = Server(lambda connection: (connection.sendall(b"hello"), connection.shutdown(socket.SHUT_WR), read_all(connection)))
    stream = c.d.connect(first.port)
    c.d.until(lambda: stream.ended, 5, "EOF")
    assert bytes(stream.out) == b"hello" and not stream.exit
    stream.data(b"thanks")
    stream.eof()
    stream.wait()
    six = Server(lambda connection: connection.sendall(b"six"), socket.AF_INET6, "::1")
    stream = c.d.connect(six.port)
    stream.eof()
    stream.wait()
    assert bytes(stream.out) == b"six"
    raises(Refused, errno.ECONNREFUSED, lambda: c.d.connect(1).wait())

    def reset(connection):
        connection.recv(10)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream = c.d.connect(Server(reset).port)
    stream.data(b"x")
    raises(Refused, errno.ECONNRESET, stream.wait)
    slow = Server(lambda connection: connection.sendall(b"x" * (4 << 20)))
    stream = c.d.connect(slow.port, credit=5000)
    stream.auto = False
    c.d.quiet(0.2)
    assert len(stream.out) == 5000
    stream.close()
    c.d.ping()
