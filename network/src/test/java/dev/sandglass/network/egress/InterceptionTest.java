package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpHandler;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.network.intercept.Authorities;
import dev.sandglass.network.intercept.Authority;
import dev.sandglass.network.intercept.WorldAuthority;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests are judged one by one where a policy tells them apart, in plain HTTP and inside of TLS. */
class InterceptionTest extends GatewayFixture {
    private static final String ADDRESS = "203.0.113.10";
    private static final String NAME = "api.example.org";

    @BeforeEach
    void serve() throws IOException {
        world.name(NAME, ADDRESS);
        world.http(ADDRESS, 80);
        world.https(ADDRESS, 443, NAME);
    }

    private static String request(String line) {
        return line + " HTTP/1.1\r\nHost: " + NAME + "\r\n";
    }

    /** What comes back for requests that are sent one after the other on one connection, which is closed then. */
    private String secured(String text) throws IOException {
        resolve(NAME);
        try (SocketChannel channel = connect(ADDRESS, 443);
                SSLSocket socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), NAME, 443, true)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void aRequestThatARuleAllowsIsAnsweredByTheServerAndAnotherByTheGateway() throws IOException {
        change(allowing("allow api.example.org:443 GET /v1/*"));
        String both = secured(request("GET /v1/models?key=a") + "\r\n" + request("POST /v1/models") + "Content-Length: 2\r\nConnection: close\r\n\r\nhi");
        assertThat(both).contains("GET /v1/models?key=a of api.example.org").contains("HTTP/1.1 403").contains("network_denied").contains("sandglass policy allow");
        assertThat(both).doesNotContain("POST /v1/models of");
        await().until(() -> journeys.size() == 2);
        List<Journey> told = List.copyOf(journeys);
        assertThat(told).extracting(Journey::verdict).containsExactlyInAnyOrder(Verdict.ALLOW, Verdict.DENY);
        Journey went = told.stream().filter(each -> each.verdict() == Verdict.ALLOW).findFirst().orElseThrow();
        assertThat(went.status()).isEqualTo(OptionalInt.of(200));
        assertThat(went.toWire().path()).as("without the query, which may be a secret").isEqualTo("/v1/models");
    }

    @Test
    void aBodyIsPassedOnAsItIs() throws IOException {
        change(allowing("allow api.example.org:443 POST /upload"));
        String text = "x".repeat(300_000);
        String answer = secured(request("POST /upload") + "Content-Length: 300000\r\nConnection: close\r\n\r\n" + text);
        assertThat(answer).contains("body=" + text + " ");
        String chunked = secured(request("POST /upload") + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
        assertThat(chunked).contains("body=hello ");
    }

    @Test
    void aServerWithAnotherCertificateIsNotTrusted() throws IOException {
        world.name("other.example.org", "203.0.113.12");
        world.https("203.0.113.12", 443, NAME);
        world.name(NAME, "203.0.113.12");
        change(allowing("allow other.example.org,api.example.org:443 GET /"));
        resolve("other.example.org");
        try (SocketChannel channel = connect("203.0.113.12", 443);
                SSLSocket socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), "other.example.org", 443, true)) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: other.example.org\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).contains("502").doesNotContain("GET / of");
        }
    }

    @Test
    void whatNeedsNoLookIsPassedThroughWithTheServersOwnCertificate() throws IOException {
        change(allowing("allow api.example.org:443"));
        assertThatThrownBy(() -> secured(request("GET /") + "\r\n")).isInstanceOf(SSLException.class);
    }

    /** Nobody would judge the requests that are still to come on it. */
    @Test
    void whatWasPassedThroughEndsWhenARuleLooksIntoIt() throws IOException {
        change(allowing("allow api.example.org:443"));
        resolve(NAME);
        try (SocketChannel channel = connect(ADDRESS, 443);
                SSLSocket socket = (SSLSocket) WorldAuthority.client(world.authority()).getSocketFactory().createSocket(channel.socket(), NAME, 443, true)) {
            assertThat(answer(socket, request("POST /one") + "Content-Length: 0\r\n\r\n")).contains("POST /one of");
            change(allowing("allow 203.0.113.99", "allow api.example.org:443"));
            assertThat(answer(socket, request("GET /two") + "\r\n")).as("after a change that has nothing to do with it").contains("GET /two of");
            change(allowing("deny api.example.org:443 POST", "allow api.example.org:443"));
            assertThatThrownBy(() -> answer(socket, request("POST /three") + "Content-Length: 0\r\n\r\n")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void plainHttpThatWasPassedThroughEndsWhenHostsAreToldApart() throws IOException {
        change(Policy.OPEN);
        try (SocketChannel channel = connect(ADDRESS, 80)) {
            assertThat(answer(channel.socket(), request("GET /one") + "\r\n")).contains("GET /one of");
            change(new Policy(List.of(Rule.parse("deny other.example.org")), Verdict.ALLOW));
            assertThatThrownBy(() -> answer(channel.socket(), "GET /two HTTP/1.1\r\nHost: other.example.org\r\n\r\n")).isInstanceOf(IOException.class);
        }
    }

    /** The last line that comes back for one request of several. */
    private static String answer(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        while (!got.toString(StandardCharsets.US_ASCII).endsWith("authorization=null\n")) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("ended");
            }
            got.write(next);
        }
        return got.toString(StandardCharsets.US_ASCII);
    }

    @Test
    void everyRequestOfPlainHttpIsHeldToItsHost() throws IOException {
        change(allowing("allow api.example.org:80"));
        resolve(NAME);
        String right = request("GET /one") + "\r\n";
        String wrong = "GET /two HTTP/1.1\r\nHost: other.example.org\r\nConnection: close\r\n\r\n";
        String got = exchange(ADDRESS, 80, right + wrong);
        assertThat(got).contains("GET /one of api.example.org").contains("421").doesNotContain("GET /two of");
    }

    /** Each as the first request of a connection and behind a good one, without and with TLS, with another behind it, from a client that does not end its side. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /open HTTP/1.1\r\n@Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
                "POST /open HTTP/1.1\r\n@Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /open HTTP/1.1\r\n@Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                "POST /open HTTP/1.1\r\n@Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "POST /open HTTP/1.1\r\n@Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                "POST /open HTTP/1.1\r\n@Content-Length: -1\r\n\r\n",
                "GET /open HTTP/1.1\r\n@Host: other.example.org\r\n\r\n",
                "GET /open HTTP/1.1\r\n@X: a\r\n folded\r\n\r\n",
                "GET /open HTTP/1.1\r\n@X\0Y: a\r\n\r\n",
                "GET /open HTTP/9.9\r\n@\r\n",
                "GET /open HTTP/1.1\r\n@X-Large: LARGE\r\n\r\n",
                "GET /open?LARGE HTTP/1.1\r\n@\r\n",
                "GET /open/../secret HTTP/1.1\r\n@Connection: close\r\n\r\n",
                "GET /open/%2e%2e/secret HTTP/1.1\r\n@Connection: close\r\n\r\n",
            })
    void smuggledAndMalformedRequestsGetA400AndTheEnd(String text) throws IOException {
        Queue<String> served = new ConcurrentLinkedQueue<>();
        HttpHandler server = exchange -> {
            served.add(exchange.getRequestURI().toString());
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, -1);
        };
        world.http(ADDRESS, 81, server);
        world.https(ADDRESS, 444, NAME, server);
        change(allowing("allow api.example.org:81,444 GET,POST /open,/good"));
        String bad = text.replace("@", "Host: " + NAME + "\r\n").replace("LARGE", "a".repeat(40_000));
        String rest = "GET /good?hidden HTTP/1.1\r\nHost: " + NAME + "\r\n\r\n";
        for (String before : List.of("", request("GET /good") + "\r\n")) {
            served.clear();
            String plain = unending(81, before + bad + rest);
            String secured = unending(444, before + bad + rest);
            for (String got : List.of(plain, secured)) {
                String last = got.substring(got.lastIndexOf("HTTP/1.1 "));
                assertThat(last).as(got).startsWith("HTTP/1.1 400 ").containsIgnoringCase("\r\nConnection: close\r\n").contains("application/json");
                assertThat(got.split("HTTP/1.1 ", -1)).as(got).hasSize(before.isEmpty() ? 2 : 3);
            }
            assertThat(served).doesNotContain("/good?hidden").noneMatch(each -> each.contains("secret"));
        }
        await().untilAsserted(() -> assertThat(journeys.stream().filter(each -> each.status().equals(OptionalInt.of(400))))
                .as("each is told of once")
                .hasSize(4)
                .allMatch(each -> each.verdict() == Verdict.DENY && each.opening().isEmpty() && !each.why().isEmpty()));
    }

    /** What comes back until the end, which is a reset if not all of this was read. */
    private String unending(int port, String text) throws IOException {
        resolve(NAME);
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        try (SocketChannel channel = connect(ADDRESS, port)) {
            Socket socket = port == 81 ? channel.socket() : WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), NAME, port, true);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            socket.getInputStream().transferTo(got);
        } catch (SocketException reset) {
            // what came before it counts
        }
        return got.toString(StandardCharsets.UTF_8);
    }

    /** What is wrong with an answer is not the fault of the request. */
    @Test
    void aServerThatAnswersWithNonsenseIsABadGateway() throws IOException {
        world.serve(ADDRESS, 8080, connection -> {
            try (connection) {
                connection.read(ByteBuffer.allocate(4096));
                connection.write(ByteBuffer.wrap("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello".getBytes(StandardCharsets.US_ASCII)));
            } catch (IOException ended) {
                // by the other side
            }
        });
        change(allowing("allow api.example.org:8080 GET /open"));
        resolve(NAME);
        assertThat(exchange(ADDRESS, 8080, "GET /open HTTP/1.1\r\nHost: " + NAME + ":8080\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 502");
    }

    /** What the HTTP client says shows where on the host the connection began. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"''|ended the connection", "nonsense\\r\\n\\r\\n|no answer of HTTP", "HTTP/1.1 101 S\\r\\nUpgrade: x\\r\\nConnection: Upgrade\\r\\n\\r\\n|without being asked"})
    void whyAServerDidNotAnswerIsSaidInWordsThatTellNothingOfTheHost(String said, String why) throws IOException {
        world.serve(ADDRESS, 8080, connection -> {
            try (connection) {
                connection.read(ByteBuffer.allocate(4096));
                connection.write(ByteBuffer.wrap(said.replace("\\r\\n", "\r\n").getBytes(StandardCharsets.US_ASCII)));
            } catch (IOException ended) {
                // by the other side
            }
        });
        change(allowing("allow api.example.org:8080 GET /open"));
        resolve(NAME);
        String answer = exchange(ADDRESS, 8080, "GET /open HTTP/1.1\r\nHost: " + NAME + ":8080\r\nConnection: close\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 502").contains(why).doesNotContain("203.0.113.", "Http", "@");
        await().until(() -> journeys.size() == 1);
        assertThat(journeys).extracting(Journey::why).singleElement().asString().startsWith("not answered: ").contains(why);
    }

    /** A client that reads a target as a URI takes what comes after two slashes for the name of a host, and sends the rest. */
    @ParameterizedTest
    @ValueSource(strings = {"//x/admin/secret?q=1", "///admin/secret", "//admin/secret", "//x//admin/secret", "//x:1/admin/secret", "/\\x/admin/secret"})
    void noPathIsSentThatIsNotTheOneThatWasJudged(String target) throws Exception {
        change(allowing("deny api.example.org /admin/*", "allow api.example.org GET"));
        resolve(NAME);
        String ending = " HTTP/1.1\r\nHost: " + NAME + "\r\nConnection: close\r\n\r\n";
        assertThat(exchange(ADDRESS, 80, "GET " + target + ending)).doesNotContain("GET /admin").satisfies(answer -> isRefusedOrAsWritten(answer, target));
        assertThat(exchange(ADDRESS, 80, "GET http://" + NAME + target + ending)).doesNotContain("GET /admin").satisfies(answer -> isRefusedOrAsWritten(answer, target));
        assertThat(secured("GET " + target + ending)).doesNotContain("GET /admin").satisfies(answer -> isRefusedOrAsWritten(answer, target));
        assertThat(secondVersion(target)).startsWith("HTTP/2 ").doesNotContain("GET /admin").satisfies(answer -> isRefusedOrAsWritten(answer, target));
        assertThat(secondVersion("/open")).startsWith("HTTP/2 200").contains("GET /open of");
    }

    private static void isRefusedOrAsWritten(String answer, String target) {
        assertThat(answer.lines().findFirst().orElse("").contains(" 400") || answer.contains("GET " + target + " of")).as(answer).isTrue();
    }

    /** What curl gets over HTTP/2. */
    private String secondVersion(String target) throws Exception {
        Path trusted = Files.writeString(directory.resolve("inside.pem"), authority.certificate());
        Process curl = new ProcessBuilder(
                        "nsenter", "--net=" + gate.pair().inside(), "curl", "-sS", "-i", "--http2", "--max-time", "60", "--cacert", trusted.toString(), "--resolve", NAME + ":443:" + ADDRESS, "--request-target", target, "https://" + NAME)
                .redirectErrorStream(true)
                .start();
        String answer = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        curl.waitFor();
        return answer;
    }

    /** Models and logs say one word after the other, for as long as it takes. */
    @Test
    void anAnswerIsPassedOnAsItComes() throws Exception {
        CompletableFuture<SocketChannel> serving = new CompletableFuture<>();
        world.serve(ADDRESS, 8080, serving::complete);
        change(allowing("allow api.example.org:8080 GET /stream"));
        resolve(NAME);
        try (SocketChannel channel = connect(ADDRESS, 8080)) {
            WebSocketPeer client = new WebSocketPeer(channel.socket().getInputStream(), channel.socket().getOutputStream());
            channel.write(ByteBuffer.wrap(("GET /stream HTTP/1.1\r\nHost: " + NAME + ":8080\r\n\r\n").getBytes(StandardCharsets.US_ASCII)));
            SocketChannel server = serving.get();
            new WebSocketPeer(server.socket().getInputStream(), server.socket().getOutputStream()).head(); // it is asked first
            server.write(ByteBuffer.wrap("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            for (String word : List.of("one..", "two..", "three")) {
                server.write(ByteBuffer.wrap(("5\r\n" + word + "\r\n").getBytes(StandardCharsets.US_ASCII)));
                if (word.equals("one..")) {
                    assertThat(client.head()).startsWith("HTTP/1.1 200");
                }
                StringBuilder heard = new StringBuilder();
                while (heard.indexOf(word) < 0) { // before the next is said
                    heard.append(received(channel, 1));
                }
            }
            change(allowing("allow api.example.org:8080 GET /other"));
            assertThatThrownBy(() -> received(channel, 1)).as("forbidden while it is answered").isInstanceOf(IOException.class);
            server.close();
        }
    }

    /** As one that brings its own list of authorities: nobody would know why it fails. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aProgramThatDoesNotTrustTheGatewayLeavesALineThatSaysSo(String version) throws IOException {
        change(allowing("allow api.example.org:443 GET"));
        resolve(NAME);
        Authority another = Authorities.at(directory.resolve("key")).of("another");
        try (SocketChannel channel = connect(ADDRESS, 443);
                SSLSocket socket = (SSLSocket) WorldAuthority.client(another).getSocketFactory().createSocket(channel.socket(), NAME, 443, true)) {
            socket.setEnabledProtocols(new String[] {version});
            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
        }
        await().until(() -> !journeys.isEmpty());
        assertThat(journeys.element().why()).startsWith("not looked into: the program does not trust the gateway (").contains("SSL_CERT_FILE");
        assertThat(journeys.element().attempt().name().orElseThrow()).hasToString(NAME);
    }

    /** Clients in a busy sandbox may connect and think for a while before they speak. */
    @Test
    void aClientThatSpeaksLateIsLookedIntoAllTheSame() throws IOException {
        change(allowing("allow api.example.org:80 GET /open"));
        resolve(NAME);
        try (SocketChannel onlyRequests = connect(ADDRESS, 80)) {
            assertThat(rested(onlyRequests)).isTrue();
            assertThat(said(onlyRequests, request("GET /open") + "\r\n" + request("GET /secret") + "\r\n")).contains("GET /open of").contains("403");
        }
        change(allowing("allow api.example.org:80"));
        try (SocketChannel anything = connect(ADDRESS, 80)) {
            assertThat(rested(anything)).isTrue();
            assertThat(said(anything, request("GET /open") + "\r\n" + "GET /secret HTTP/1.1\r\nHost: other.example.org\r\n\r\n")).contains("GET /open of").contains("421");
        }
    }
}
