# Tries to get something out of a sandbox, as root, by ways that lead round the gateway or to places that no policy opens; prints what came of each.
# argv: ports of the daemon, addresses of the host, a port on it where everything is counted
import errno, os, select, socket, ssl, struct, sys

PUBLIC = "203.0.113.10"
RESOLVER = "203.0.113.53"
DAEMON, HOST, COUNTED = sys.argv[1].split(","), sys.argv[2].split(","), int(sys.argv[3])
METADATA = ("169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192")
MANY = ("10.0.0.3", "224.0.0.1", "255.255.255.255")  # one kernel has no route for a connection to many, the other asks, and nobody answers
RESET = (errno.ECONNRESET, errno.ECONNREFUSED, errno.EPIPE)
asked = []


def tell(way, what):
    print(way, what, sep="|", flush=True)


def failed(way, problem):
    if isinstance(problem, socket.gaierror):
        tell(way, "unknown")
    else:
        tell(way, "reset" if problem.errno in RESET else "impossible")


def tcp(way, address, port, said=b"word\n", family=socket.AF_INET):
    many = address in MANY
    try:
        with socket.socket(family, socket.SOCK_STREAM) as line:
            line.settimeout(1 if many else 60)
            line.connect((address, port))
            line.sendall(said)
            got = line.recv(99)
            tell(way, f"answered {got}" if got else "closed")
    except TimeoutError:
        tell(way, "nothing" if many else "silence")
    except OSError as problem:
        failed(way, problem)


def tls(way, address, name):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection((address, 443), 60) as line:
            context.wrap_socket(line, server_hostname=name)
            tell(way, "answered")
    except ssl.SSLError:
        tell(way, "answered with nonsense")
    except OSError as problem:
        failed(way, problem)


def send(way, kind, packet, place, family=socket.AF_INET, protocol=0):
    """Sends one packet, and listens until the end for an answer."""
    try:
        line = socket.socket(family, kind, protocol)
        line.setblocking(False)
        if family in (socket.AF_INET, socket.AF_INET6):
            line.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        if protocol == socket.IPPROTO_RAW:
            line.setsockopt(socket.IPPROTO_IP, socket.IP_HDRINCL, 1)
        line.sendto(packet, place)
        asked.append((way, line))
    except OSError as problem:
        failed(way, problem)


def udp(way, address, port, said=None, family=socket.AF_INET):
    send(way, socket.SOCK_DGRAM, said or way.encode(), (address, port), family)


def answers():
    """Of raw sockets those only that are answers to a ping, because they get a copy of everything."""
    for way, line in asked:
        try:
            got = line.recv(9999) if line.type != socket.SOCK_RAW or line.family == socket.AF_INET else b""
            while line.type == socket.SOCK_RAW and got[20:21] != b"\0":
                got = line.recv(9999)
            tell(way, f"answered {got}" if got else "nothing")
        except OSError:
            tell(way, "nothing")


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def ip(protocol, source, target, content):
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(content), 7, 0, 64, protocol, 0, socket.inet_aton(source), socket.inet_aton(target))
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + content


def datagram(source, target, port, said):
    return ip(17, source, target, struct.pack(">HHHH", 4444, port, 8 + len(said), 0) + said)


def question(name):
    return struct.pack(">6H", 7, 0x100, 1, 0, 0, 0) + b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0\0\1\0\1"


def ping():
    packet = struct.pack(">BBHHH", 8, 0, 0, 7, 1)
    return packet[:2] + struct.pack(">H", checksum(packet)) + packet[4:]


def packets():
    udp("quic", PUBLIC, 443)
    udp("time", PUBLIC, 123)
    udp("udp", PUBLIC, 4500)
    udp("dns elsewhere", RESOLVER, 53, question("leaked-by-udp.example.org"))
    udp("dns to another port of the gateway", "10.0.0.1", 5353, question("leaked-by-port.example.org"))
    udp("multicast", "224.0.0.251", 5353)
    udp("broadcast", "255.255.255.255", 443)
    udp("udp over ipv6", "2001:db8::10", 443, family=socket.AF_INET6)
    udp("udp to a mapped address", "::ffff:" + PUBLIC, 443, family=socket.AF_INET6)
    udp("udp to metadata", METADATA[0], 443)
    for address in HOST:
        udp("udp to the host at " + address, address, COUNTED)
    for address in ("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.255.255.255"):
        udp("udp to a sibling at " + address, address, 7777)
    send("ping", socket.SOCK_RAW, ping(), (PUBLIC, 0), protocol=socket.IPPROTO_ICMP)
    send("ping without rights", socket.SOCK_DGRAM, ping(), (PUBLIC, 0), protocol=socket.IPPROTO_ICMP)
    send("ping over ipv6", socket.SOCK_RAW, b"\x80\0\0\0\0\7\0\1", ("2001:db8::10", 0), socket.AF_INET6, socket.IPPROTO_ICMPV6)
    send("another protocol", socket.SOCK_RAW, b"another protocol", (PUBLIC, 0), protocol=253)
    send("raw", socket.SOCK_RAW, datagram("10.0.0.2", PUBLIC, 443, b"raw"), (PUBLIC, 0), protocol=socket.IPPROTO_RAW)
    send("raw from a false address", socket.SOCK_RAW, datagram("198.51.100.7", PUBLIC, 443, b"raw from a false address"), (PUBLIC, 0), protocol=socket.IPPROTO_RAW)
    try:
        gateway = bytes.fromhex([line.split()[3] for line in open("/proc/net/arp") if line.startswith("10.0.0.1 ")][0].replace(":", ""))
    except (OSError, IndexError):
        gateway = b"\xff" * 6
    frame = gateway + b"\2\0\0\0\0\2\x08\0" + datagram("10.0.0.2", PUBLIC, 443, b"frame")
    send("frame", socket.SOCK_RAW, frame, ("eth0", 0), getattr(socket, "AF_PACKET", 17))


def addresses():
    for address in METADATA + ("10.0.0.1", "10.0.0.3", "10.20.0.1", "172.17.0.1", "192.168.0.1", "100.64.0.1", "127.0.0.2", "169.254.1.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "0.0.0.0", "203.0.113.1"):
        tcp("to " + address, address, 80, b"GET / HTTP/1.0\r\n\r\n")
    for spelled in ("2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.16689662", "0xa9.254.0251.0xfe"):
        tcp("to metadata as " + spelled, spelled, 80)
    for spelled in ("::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::169.254.169.254", "64:ff9b::a9fe:a9fe", "fd00:ec2::254", "2001:db8::10", "fe80::1%eth0"):
        tcp("to " + spelled, spelled, 80, family=socket.AF_INET6)
    for name in ("inward.example.org", "metadata.example.org", "loopback.example.org", "host.example.org"):
        tcp("to " + name, name, 80)
    tcp("allowed as one of two addresses", "both.example.org", 7)
    for address in dict.fromkeys(["10.0.0.1", "127.0.0.1"] + HOST):
        for port in DAEMON:
            tcp(f"to the daemon at {address}:{port}", address, int(port), b"GET /v1/health HTTP/1.0\r\n\r\n")
    for address in HOST:
        tcp("to the host at " + address, address, COUNTED)
    for address in ("10.0.0.1", "10.0.0.2", "10.0.0.3"):
        tcp("to a sibling at " + address, address, 7777)


def names():
    tcp("another Host", PUBLIC, 80, b"GET / HTTP/1.1\r\nHost: other.example.org\r\n\r\n")
    tcp("a number as Host", PUBLIC, 80, b"GET / HTTP/1.1\r\nHost: 203.0.113.10\r\n\r\n")
    tcp("another number as Host", PUBLIC, 80, b"GET / HTTP/1.1\r\nHost: 3405803786\r\n\r\n")
    tcp("a Host with a NUL", PUBLIC, 80, b"GET / HTTP/1.1\r\nHost: api.example.org\0.other.example.org\r\n\r\n")
    tcp("two Hosts", PUBLIC, 80, b"GET / HTTP/1.1\r\nHost: api.example.org\r\nHost: other.example.org\r\n\r\n")
    tcp("another target", PUBLIC, 80, b"GET http://other.example.org/ HTTP/1.1\r\nHost: api.example.org\r\n\r\n")
    tls("another SNI", PUBLIC, "other.example.org")
    tls("a number as SNI", PUBLIC, "3405803786")
    tcp("no name", "203.0.113.11", 443)
    tls("a good SNI at another address", "203.0.113.11", "api.example.org")
    tcp("dns over tcp", RESOLVER, 53, b"\0\x29" + question("leaked-by-tcp.example.org"))
    tcp("dns over tls", PUBLIC, 853)
    tcp("a name that is not allowed", "secret-word.elsewhere.example.org", 80)


socket.getaddrinfo("api.example.org", 7)
if sys.argv[4] == "addresses":
    packets()
    addresses()
    tcp("allowed", "api.example.org", 7)
    answers()
else:
    names()
    tcp("allowed", "api.example.org", 80, b"GET / HTTP/1.1\r\nHost: api.example.org\r\n\r\n")
    tls("allowed in tls", "api.example.org", "api.example.org")
