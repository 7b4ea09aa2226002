package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.server.RouteClient.Reply;
import dev.sandglass.server.RoutedProgram.Wish;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Neither clients nor programs in sandboxes get more out of a route than an answer: what is broken is refused, and nothing of it is passed on. */
@OnEveryRuntime
class RouteHostileTest {
    /** Answers each request with the bytes that it names, notes its first line, and closes unless it is told to go on for ever. */
    private static final String PROGRAM =
            """
            import base64, os, socket, threading, time
            def serve(c):
                data = b''
                while b'\\r\\n\\r\\n' not in data:
                    got = c.recv(65536)
                    if not got: return
                    data += got
                line = data.split(b'\\r\\n')[0].decode('latin-1')
                with open('/workspace/requests', 'a') as f: f.write(line + '\\n')
                path = line.split(' ')[1]
                try:
                    if path == '/good':
                        c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\ngood')
                        return serve(c)
                    kind, text = path[1:].split('/', 1)
                    said = base64.urlsafe_b64decode(text)
                    c.sendall(said)
                    while kind == 'repeat': c.sendall(said[said.rfind(b'\\n', 0, -1) + 1:])
                    while kind == 'trickle': c.sendall(b'X'); time.sleep(0.05)
                    if kind == 'stay': c.recv(1)
                except OSError:
                    open('/workspace/cut', 'w').close()
                finally: c.close()
            s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(('127.0.0.1', 8000)); s.listen(64)
            while True: threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
            """;

    private final RouteClient client = RouteClient.of(SharedDaemon.daemon());
    private final TestSandbox box;

    RouteHostileTest(String runtime) {
        this.box = SharedDaemon.api().create(SandboxRequest.on(runtime));
    }

    @BeforeEach
    void serve() {
        box.start(Run.python(PROGRAM));
        RoutedProgram.awaitPort(box, RoutedProgram.PORT);
        RoutedProgram.route(box, Wish.open("web").timeout(2));
    }

    @AfterEach
    void end() {
        box.close();
    }

    private String host() {
        return client.name(8000, box.id());
    }

    private Reply answered(String kind, String bytes, String... headers) {
        return client.get(host(), path(kind, bytes), headers);
    }

    private static String path(String kind, String bytes) {
        return "/" + kind + "/" + Base64.getUrlEncoder().encodeToString(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void requestsThatCanBeReadInTwoWaysAreRefused() {
        String smuggled = "GET /smuggled HTTP/1.1\r\nHost: " + host() + "\r\n\r\n";
        String good = "POST /good HTTP/1.1\r\nHost: " + host() + "\r\n";
        List<String> broken = List.of(
                good + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
                good + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde" + smuggled,
                good + "Content-Length: +5\r\n\r\nabcde" + smuggled,
                good + "Content-Length: 5,5\r\n\r\nabcde" + smuggled,
                good + "Transfer-Encoding: xchunked\r\n\r\n" + smuggled,
                good + "Transfer-Encoding: chunked, identity\r\n\r\n" + smuggled,
                good + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled,
                good + "Host: other\r\n\r\n" + smuggled,
                good + "X: a\r\n folded\r\n\r\n" + smuggled,
                good + "X: a\0b\r\n\r\n" + smuggled,
                good + "no colon\r\n\r\n" + smuggled,
                good + "X(: y\r\n\r\n" + smuggled,
                "POST /good HTTP/1.1\r\n\r\n" + smuggled,
                "POST /good HTTP/1.1\r\nHost: a b\r\n\r\n" + smuggled,
                "POST /good HTTP/1.1\r\nHost: <script>." + client.domain() + "\r\n\r\n" + smuggled,
                "POST /good HTTP/1.1\r\nHost: x@" + host() + "\r\n\r\n" + smuggled,
                "POST http://other.example/good HTTP/1.1\r\nHost: " + host() + "\r\n\r\n" + smuggled,
                "POST /good HTTP/1.1\nHost: " + host() + "\n\n" + smuggled,
                "POST /good HTTP/3.7\r\nHost: " + host() + "\r\n\r\n" + smuggled,
                "POST /go\to HTTP/1.1\r\nHost: " + host() + "\r\n\r\n" + smuggled,
                "GET /good\r\n\r\n",
                "POST /good HTTP/1.0\r\nHost: " + host() + "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
                "OPTIONS * HTTP/1.1\r\nHost: " + host() + "\r\n\r\n" + smuggled,
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
                good + "X: " + "y".repeat(33 << 10) + "\r\n\r\n" + smuggled,
                "POST /" + "y".repeat(33 << 10) + " HTTP/1.1\r\nHost: " + host() + "\r\n\r\n" + smuggled);
        for (String request : broken) {
            Reply reply = client.raw(request);
            String shown = request.substring(0, Math.min(120, request.length())).replace("\r\n", "\\r\\n");
            assertThat(reply.status()).as(shown).isEqualTo(400);
            assertThat(reply.closed()).as("closed after " + shown).isTrue();
        }
        assertThat(all("CONNECT " + host() + " HTTP/1.1\r\nHost: " + host() + "\r\n\r\n" + smuggled)).startsWith("HTTP/1.1 4").containsOnlyOnce("HTTP/1.1 ");
        assertThat(client.get(host(), "/good").text()).isEqualTo("good");
        assertThat(box.output("cat /workspace/requests")).isEqualTo("GET /good HTTP/1.1");
    }

    /** All that is answered until the connection ends. */
    private String all(String request) {
        try (Socket socket = client.open()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return rest(socket);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    @Test
    void aBrokenBodyIsCutOffAndWhatFollowsIsNoRequest() throws IOException {
        for (String body : List.of("zz\r\nabc\r\n", "5\r\nabcdefgh\r\n0\r\n\r\n", "-1\r\n\r\n", "fffffffffffffffff\r\nabc", "3;\n\r\nabc\r\n0\r\n\r\n")) {
            try (Socket socket = client.open()) {
                String smuggled = "GET /smuggled HTTP/1.1\r\nHost: " + host() + "\r\n\r\n";
                socket.getOutputStream().write(("POST " + path("stay", "") + " HTTP/1.1\r\nHost: " + host() + "\r\nTransfer-Encoding: chunked\r\n\r\n" + body + smuggled).getBytes(StandardCharsets.ISO_8859_1));
                assertThat(rest(socket)).as(body).doesNotContain("HTTP/1.1 200");
            }
        }
        assertThat(box.output("cat /workspace/requests")).doesNotContain("smuggled");
    }

    private static String rest(Socket socket) {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException reset) {
            return "reset";
        }
    }

    @Test
    void anAnswerThatIsNoneIsABadGateway() {
        String ok = "HTTP/1.1 200 OK\r\n";
        Stream.of(
                        "",
                        "hello\r\n\r\n",
                        "<script>alert(1)</script>\r\n\r\n",
                        "HTTP/1.1 200 OK",
                        ok + "X: y",
                        "HTTP/1.1 099 Low\r\n\r\n",
                        "HTTP/1.1 999 High\r\n\r\n",
                        "HTTP/9.9 200 OK\r\n\r\n",
                        ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
                        ok + "Content-Length: -1\r\n\r\n",
                        ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        ok + "X: a\r\n folded\r\n\r\n",
                        ok + "X: a\0b\r\nContent-Length: 0\r\n\r\n",
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
                        "HTTP/1.1 100 Continue\r\n\r\n".repeat(40) + ok + "Content-Length: 0\r\n\r\n")
                .forEach(bytes -> {
                    Reply reply = answered("end", bytes);
                    assertThat(reply.status()).as(bytes.substring(0, Math.min(60, bytes.length()))).isEqualTo(502);
                    assertThat(reply.problem()).isEqualTo("bad_answer");
                });
        Reply endless = answered("repeat", ok + "X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n");
        assertThat(endless.status()).as("a head without end").isEqualTo(502);
        Reply slow = answered("trickle", ok + "X: ");
        assertThat(slow.status()).as("a head that takes too long, though it moves").isEqualTo(504);
        Reply interim = answered("end", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nok");
        assertThat(interim.status()).isEqualTo(200);
        assertThat(interim.text()).isEqualTo("ok");
    }

    @Test
    void anAnswerThatBreaksOffIsNotTakenForWhole() {
        for (String bytes : List.of(
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nzz\r\n")) {
            assertThatThrownBy(() -> requireWhole(answered("end", bytes))).as(bytes).isInstanceOfAny(UncheckedIOException.class, NumberFormatException.class);
        }
        assertThat(answered("end", "HTTP/1.0 200 OK\r\n\r\nto the end").text()).as("the end of the connection is the end of the body").isEqualTo("to the end");
        assertThat(answered("end", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nextra").status()).isEqualTo(204);
    }

    private static void requireWhole(Reply reply) {
        if (reply.status() != 200) {
            throw new UncheckedIOException(new IOException("status " + reply.status()));
        }
    }

    @Test
    void aSecondAnswerIsNobodys() throws IOException {
        String two = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\noneHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison";
        try (Socket socket = client.open()) {
            for (int i = 0; i < 3; i++) {
                socket.getOutputStream().write(("GET " + path("stay", two) + " HTTP/1.1\r\nHost: " + host() + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                assertThat(RouteClient.reply(socket, false).text()).isEqualTo("one");
                socket.getOutputStream().write(("GET /good HTTP/1.1\r\nHost: " + host() + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                assertThat(RouteClient.reply(socket, false).text()).isEqualTo("good");
            }
        }
    }

    @Test
    void whatIsSentBeforeARefusalIsNotReadWithoutItsBeginning() throws IOException {
        RoutedProgram.route(box, Wish.open("slow").timeout(10));
        try (Socket socket = client.open()) {
            String here = "localhost:" + client.port();
            socket.getOutputStream().write(("GET /" + box.id() + "/slow" + path("stay", "") + " HTTP/1.1\r\nHost: " + here + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            Eventually.get(() -> box.output("cat /workspace/requests || true"), requests -> requests.contains("/stay/"));
            socket.getOutputStream().write(("GET /" + box.id() + "/slow/good HTTP/1.1\r\nHost: " + here + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            Reply late = RouteClient.reply(socket, false);
            assertThat(late.status()).isEqualTo(504);
            assertThat(late.closed()).as("since the first byte of what follows is lost").isTrue();
        }
    }

    @Test
    void aBodyWithoutEndStopsWithItsReader() throws IOException {
        try (Socket socket = client.open()) {
            socket.setReceiveBufferSize(1 << 14);
            String bytes = "HTTP/1.1 200 OK\r\n\r\n" + "y".repeat(4000) + "\n" + "z".repeat(4000) + "\n";
            socket.getOutputStream().write(("GET " + path("repeat", bytes) + " HTTP/1.1\r\nHost: " + host() + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().readNBytes(1 << 20)).hasSize(1 << 20);
        }
        Eventually.get(() -> box.output("ls /workspace"), files -> files.contains("cut"));
    }

    @Test
    void pagesOfErrorsRunNothing() {
        String owner = "Authorization: " + box.caller().authorization();
        for (Reply page : List.of(
                answered("end", "<script>alert(1)</script>\r\n\r\n", "Accept: text/html,*/*"),
                client.get("localhost", "/no.such_one/%3Cscript%3E/", "Accept: text/html", owner),
                client.get("localhost", "/no.such_one/x/<script>", "Accept: text/html", owner),
                client.get(client.name(8001, box.id()), "/<script>", "Accept: text/html", owner),
                client.get(client.name(8000, "nobody"), "/", "Accept: text/html"))) {
            assertThat(page.status()).isGreaterThanOrEqualTo(400);
            assertThat(page.text()).doesNotContain("<script").doesNotContain("http://").doesNotContain("https://");
            if (page.status() != 400) {
                assertThat(page.header("Content-Type")).startsWith("text/html");
                assertThat(page.header("Content-Security-Policy")).startsWith("default-src 'none'");
                assertThat(page.text()).startsWith("<!DOCTYPE html>");
            }
        }
        assertThat(client.get(client.name(8000, "nobody"), "/", "Accept: text/html").text()).as("what a person can do").contains("ask its owner for a link");
        Reply nothing = client.get(client.name(8001, box.id()), "/", owner);
        assertThat(nothing.text()).contains("\"Port 8001 of " + box.name() + " refuses connections: Connection refused\"");
        assertThat(nothing.status()).isEqualTo(502);
        assertThat(nothing.problem()).as("nothing listens there").isEqualTo("port_refused");
        box.stop();
        Reply stopped = client.get(host(), "/");
        assertThat(stopped.status()).isEqualTo(503);
        assertThat(stopped.problem()).isEqualTo("sandbox_not_running");
        assertThat(stopped.header("Retry-After")).isNotEmpty();
    }
}
