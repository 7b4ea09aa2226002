package dev.sandglass.server;

import dev.sandglass.wire.CreateRoute;
import dev.sandglass.wire.Route;
import dev.sandglass.wire.RouteCors;
import dev.sandglass.wire.RouteRate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A program that serves HTTP in a sandbox, and the routes to it. */
final class RoutedProgram {
    static final int PORT = 8000;

    /** Says what it was asked, streams, waits, and speaks WebSocket. */
    private static final String SERVER =
            """
            import base64, hashlib, json, os, socketserver, time
            from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

            class Handler(BaseHTTPRequestHandler):
                protocol_version = 'HTTP/1.1'
                def log_message(self, *a): pass
                def body(self):
                    digest = hashlib.sha256(); count = 0
                    if self.headers.get('Transfer-Encoding') == 'chunked':
                        while True:
                            n = int(self.rfile.readline(), 16)
                            data = self.rfile.read(n); self.rfile.readline()
                            if n == 0: break
                            digest.update(data); count += n
                    else:
                        left = int(self.headers.get('Content-Length') or 0)
                        while left:
                            data = self.rfile.read(min(left, 1 << 16)); left -= len(data)
                            digest.update(data); count += len(data)
                    return count, digest.hexdigest()
                def say(self, text, **headers):
                    data = text.encode()
                    self.send_response(200)
                    self.send_header('Content-Length', str(len(data)))
                    for k, v in headers.items(): self.send_header(k.replace('_', '-'), v)
                    self.end_headers()
                    if self.command != 'HEAD': self.wfile.write(data)
                def chunk(self, data):
                    self.wfile.write(b'%x\\r\\n' % len(data) + data + b'\\r\\n'); self.wfile.flush()
                def do_GET(self):
                    path = self.path.split('?')[0]
                    if path.endswith('/events'):
                        self.send_response(200)
                        self.send_header('Content-Type', 'text/event-stream')
                        self.send_header('Transfer-Encoding', 'chunked')
                        self.end_headers()
                        for i in range(3):
                            while not os.path.exists('/workspace/event%d' % i): time.sleep(0.01)
                            self.chunk(b'data: %d\\n\\n' % i)
                        self.chunk(b'')
                    elif path.endswith('/big'):
                        n = int(self.path.split('=')[1])
                        self.send_response(200)
                        self.send_header('Content-Length', str(n))
                        self.end_headers()
                        piece = b'x' * 65536
                        while n:
                            self.wfile.write(piece[:min(n, 65536)]); n -= min(n, 65536)
                    elif path.endswith('/wait'):
                        open('/workspace/waiting', 'w').close()
                        while not os.path.exists('/workspace/go'):
                            time.sleep(0.02)
                            try:
                                if self.connection.recv(1, 0x42) == b'':
                                    open('/workspace/left', 'w').close(); return
                            except BlockingIOError: pass
                        self.say('went')
                    elif path.endswith('/cookies'):
                        self.send_response(200)
                        self.send_header('Set-Cookie', 'a=1; Domain=sandglass.localhost; Path=/; HttpOnly')
                        self.send_header('Set-Cookie', 'b=2; path=/deep; Domain=x')
                        self.send_header('Set-Cookie', 'c=3')
                        self.send_header('Set-Cookie', 'sandglass_link=stolen')
                        self.send_header('Service-Worker-Allowed', '/')
                        self.send_header('Clear-Site-Data', '"*"')
                        self.send_header('Alt-Svc', 'h2="evil:1"')
                        self.send_header('Access-Control-Allow-Origin', '*')
                        self.send_header('Vary', 'Accept')
                        self.send_header('Content-Length', '0')
                        self.end_headers()
                    elif path.endswith('/moved'):
                        self.send_response(302)
                        self.send_header('Location', '/there?x=1')
                        self.send_header('Content-Length', '0')
                        self.end_headers()
                    elif path.endswith('/socket'):
                        self.socket()
                    else:
                        self.echo()
                def echo(self):
                    count, digest = self.body()
                    said = {'method': self.command, 'path': self.path, 'headers': [[k, v] for k, v in self.headers.items()], 'bytes': count, 'sha256': digest, 'peer': self.client_address[1]}
                    self.say(json.dumps(said), Content_Type='application/json')
                do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PATCH = echo
                def socket(self):
                    key = self.headers['Sec-WebSocket-Key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
                    self.send_response(101)
                    self.send_header('Upgrade', 'websocket')
                    self.send_header('Connection', 'Upgrade')
                    self.send_header('Sec-WebSocket-Accept', base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
                    self.end_headers()
                    self.close_connection = True
                    while True:
                        head = self.rfile.read(2)
                        if len(head) < 2: return
                        size = head[1] & 127
                        if size == 126: size = int.from_bytes(self.rfile.read(2), 'big')
                        elif size == 127: size = int.from_bytes(self.rfile.read(8), 'big')
                        mask = self.rfile.read(4)
                        data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.rfile.read(size)))
                        answer = bytes([head[0]])
                        answer += bytes([size]) if size < 126 else bytes([126]) + size.to_bytes(2, 'big') if size < 65536 else bytes([127]) + size.to_bytes(8, 'big')
                        self.wfile.write(answer + data); self.wfile.flush()
                        if head[0] & 15 == 8: return
            ThreadingHTTPServer.request_queue_size = 128
            ThreadingHTTPServer(('127.0.0.1', 8000), Handler).serve_forever()
            """;

    private RoutedProgram() {}

    /** Starts the server and waits until it listens. */
    static void serve(TestSandbox box) {
        box.start(Run.python(SERVER));
        awaitPort(box, PORT);
    }

    /** The same by a service, which comes back when a sandbox wakes that lost its processes. */
    static void serveAlways(TestSandbox box) {
        serveAlways(box, "true");
        awaitPort(box, PORT);
    }

    /** @param before what must have ended well before it starts to listen */
    static void serveAlways(TestSandbox box, String before) {
        box.files().write("/workspace/server.py", SERVER);
        new TestServices(box).create(ServiceRequest.shell("server", before + " && exec python3 /workspace/server.py"));
    }

    /** The same by a process that is no command any more. */
    static void serveDetached(TestSandbox box) {
        box.files().write("/workspace/server.py", SERVER);
        box.output("setsid python3 /workspace/server.py > /dev/null 2>&1 < /dev/null &");
        awaitPort(box, PORT);
    }

    static void awaitPort(TestSandbox box, int port) {
        box.output(Run.python("""
                import socket, time
                while True:
                    try:
                        socket.create_connection(('127.0.0.1', %d)).close(); break
                    except OSError: time.sleep(0.02)
                """.formatted(port)));
    }

    /** What a test cares about of a route. */
    record Wish(String name, @Nullable String access, @Nullable String auth, @Nullable String header, @Nullable String secret, @Nullable List<String> methods, @Nullable String prefix,
            @Nullable String rewrite, @Nullable RouteCors cors, @Nullable RouteRate rate, @Nullable Integer timeout, @Nullable Boolean resume, @Nullable Boolean websocket, @Nullable Boolean forwarded) {
        static Wish open(String name) {
            return new Wish(name, "public", null, null, null, null, null, null, null, null, null, null, null, null);
        }

        static Wish closed(String name, String secret) {
            return new Wish(name, null, null, null, secret, null, null, null, null, null, null, null, null, null);
        }

        Wish header(String changed) {
            return new Wish(name, access, "header", changed, secret, methods, prefix, rewrite, cors, rate, timeout, resume, websocket, forwarded);
        }

        Wish methods(String... changed) {
            return new Wish(name, access, auth, header, secret, List.of(changed), prefix, rewrite, cors, rate, timeout, resume, websocket, forwarded);
        }

        Wish below(String changed, @Nullable String as) {
            return new Wish(name, access, auth, header, secret, methods, changed, as, cors, rate, timeout, resume, websocket, forwarded);
        }

        Wish cors(RouteCors changed) {
            return new Wish(name, access, auth, header, secret, methods, prefix, rewrite, changed, rate, timeout, resume, websocket, forwarded);
        }

        Wish rate(int perSecond, int burst) {
            return new Wish(name, access, auth, header, secret, methods, prefix, rewrite, cors, new RouteRate(perSecond, burst), timeout, resume, websocket, forwarded);
        }

        Wish timeout(int seconds) {
            return new Wish(name, access, auth, header, secret, methods, prefix, rewrite, cors, rate, seconds, resume, websocket, forwarded);
        }

        Wish resuming() {
            return new Wish(name, access, auth, header, secret, methods, prefix, rewrite, cors, rate, timeout, true, websocket, forwarded);
        }

        Wish withoutSockets() {
            return new Wish(name, access, auth, header, secret, methods, prefix, rewrite, cors, rate, timeout, resume, false, forwarded);
        }

        /** Whose program is not told who asks. */
        Wish silent() {
            return new Wish(name, access, auth, header, secret, methods, prefix, rewrite, cors, rate, timeout, resume, websocket, false);
        }
    }

    static Route route(TestSandbox box, Wish wish) {
        return route(box, PORT, wish);
    }

    static Route route(TestSandbox box, int port, Wish wish) {
        return box.caller()
                .post(box.path() + "/routes", new CreateRoute(wish.name, port, wish.access, wish.auth, wish.header, wish.secret, wish.methods, wish.prefix, wish.rewrite, wish.cors, wish.rate, wish.timeout, wish.resume, wish.websocket, wish.forwarded))
                .as(Route.class);
    }
}
