package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.network.intercept.Addition;
import dev.sandglass.network.intercept.Provision;
import dev.sandglass.network.intercept.WorldAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** WebSocket on connections that are looked into: the opening request is judged, and the conversation is left alone after it. */
class UpgradeTest extends GatewayFixture {
    private static final String ADDRESS = "203.0.113.10";
    private static final String NAME = "api.example.org";
    private static final String SWITCHED = "HTTP/1.1 101 ";

    @Override
    Secrets secrets() {
        return new Secrets() {
            @Override
            public boolean concern(Attempt attempt) {
                return attempt.port().orElse(0) == 443;
            }

            @Override
            public Provision of(Attempt request) {
                return concern(request) ? Provision.of(List.of(new Addition.Field("Authorization", "Bearer s3cret"))) : Provision.NONE;
            }

            @Override
            public boolean leadElsewhere(HostName name) {
                return false;
            }
        };
    }

    @BeforeEach
    void serve() throws IOException {
        world.name(NAME, ADDRESS);
        world.webSocket(ADDRESS, 80, Optional.empty());
        world.webSocket(ADDRESS, 443, Optional.of(NAME));
        change(allowing("allow api.example.org:80,443 GET /ws"));
        resolve(NAME);
    }

    private SSLSocket secured(SocketChannel channel) throws IOException {
        return (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), NAME, 443, true);
    }

    private static WebSocketPeer plain(SocketChannel channel) throws IOException {
        return new WebSocketPeer(channel.socket().getInputStream(), channel.socket().getOutputStream());
    }

    private Journey lastJourney() {
        await().until(() -> !journeys.isEmpty());
        return List.copyOf(journeys).getLast();
    }

    @Test
    void aConversationInsideOfTlsGoesOnWithWhatIsAddedToItsOpening() throws IOException {
        try (SocketChannel channel = connect(ADDRESS, 443);
                SSLSocket socket = secured(channel)) {
            WebSocketPeer peer = new WebSocketPeer(socket.getInputStream(), socket.getOutputStream());
            assertThat(peer.open(WebSocketPeer.opening(NAME, "/ws", ""))).startsWith(SWITCHED).contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=").containsIgnoringCase("upgrade: websocket");
            assertThat(peer.hear()).isEqualTo("authorization=Bearer s3cret");
            String large = "word ".repeat(100_000);
            for (String each : List.of("hello", large, "again")) {
                peer.say(each);
                assertThat(peer.hear().equals(each)).as("the same comes back").isTrue();
            }
            assertThat(journeys).as("it goes on").isEmpty();
            peer.end();
            assertThat(peer.hear()).isEmpty();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        Journey told = lastJourney();
        assertThat(told.status()).isEqualTo(OptionalInt.of(101));
        assertThat(told.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(told.sent()).isGreaterThan(500_000);
        assertThat(told.received()).isGreaterThan(500_000);
        assertThat(told.toWire().path()).isEqualTo("/ws");
    }

    /** What a client says before it has the answer belongs to the conversation too. */
    @Test
    void nothingIsLostThatIsSaidTogetherWithTheOpening() throws IOException {
        try (SocketChannel channel = connect(ADDRESS, 80)) {
            WebSocketPeer peer = plain(channel);
            peer.out().write(concatenated(WebSocketPeer.opening(NAME, "/ws", "").getBytes(StandardCharsets.US_ASCII), WebSocketPeer.text("early")));
            assertThat(peer.head()).startsWith(SWITCHED);
            assertThat(peer.hear()).isEqualTo("authorization=null");
            assertThat(peer.hear()).isEqualTo("early");
        }
    }

    private static byte[] concatenated(byte[] one, byte[] other) {
        return ByteBuffer.allocate(one.length + other.length).put(one).put(other).array();
    }

    @Test
    void anOpeningThatNoRuleAllowsIsRefused() throws IOException {
        try (SocketChannel channel = connect(ADDRESS, 80)) {
            assertThat(plain(channel).open(WebSocketPeer.opening(NAME, "/other", ""))).startsWith("HTTP/1.1 403");
        }
        assertThat(lastJourney().verdict()).isEqualTo(Verdict.DENY);
    }

    @Test
    void whatTheServerAnswersInstead() throws IOException {
        change(allowing("allow api.example.org:80 GET"));
        try (SocketChannel channel = connect(ADDRESS, 80)) {
            assertThat(plain(channel).open(WebSocketPeer.opening(NAME, "/nothing", ""))).startsWith("HTTP/1.1 404");
        }
        assertThat(lastJourney().status()).isEqualTo(OptionalInt.of(404));
    }

    @Test
    void aChangeOfThePolicyThatForbidsTheOpeningEndsTheConversation() throws IOException {
        try (SocketChannel stays = connect(ADDRESS, 80);
                SocketChannel goes = connect(ADDRESS, 443);
                SSLSocket socket = secured(goes)) {
            WebSocketPeer one = plain(stays);
            WebSocketPeer other = new WebSocketPeer(socket.getInputStream(), socket.getOutputStream());
            for (WebSocketPeer each : List.of(one, other)) {
                assertThat(each.open(WebSocketPeer.opening(NAME, "/ws", ""))).startsWith(SWITCHED);
                each.hear();
            }
            change(allowing("allow api.example.org:80 GET /ws", "allow api.example.org:443 GET /elsewhere"));
            assertThatThrownBy(other::hear).isInstanceOf(IOException.class);
            one.say("still");
            assertThat(one.hear()).isEqualTo("still");
        }
        await().until(() -> journeys.size() == 2);
    }

    @Test
    void otherProtocolsAreNotChangedTo() throws IOException {
        change(allowing("allow api.example.org:80 GET,POST,CONNECT"));
        String opening = WebSocketPeer.opening(NAME, "/ws", "");
        for (String wrong : List.of(
                opening.replace("Upgrade: WebSocket", "Upgrade: h2c"),
                opening.replace("Upgrade: WebSocket", "Upgrade: websocket, other"),
                opening.replace("Upgrade: WebSocket", "Upgrade: websocket\r\nUpgrade: other"),
                opening.replace("keep-alive, Upgrade", "keep-alive"),
                opening.replace("GET", "POST"),
                opening.replace("Sec-WebSocket-Version: 13", "Content-Length: 5") + "hello",
                opening.replace("Sec-WebSocket-Version: 13", "Transfer-Encoding: chunked") + "0\r\n\r\n")) {
            try (SocketChannel channel = connect(ADDRESS, 80)) {
                assertThat(plain(channel).open(wrong)).as(wrong).matches("(?s)HTTP/1.1 (400|501) .*");
            }
        }
    }

    /** It would make of the next requests of the sandbox something that nobody looks into. */
    @Test
    void aServerThatChangesTheProtocolUnaskedIsRefused() throws IOException {
        answering(8080, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nraw bytes");
        answering(8081, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\nraw bytes");
        change(allowing("allow api.example.org:8080,8081 GET"));
        try (SocketChannel channel = connect(ADDRESS, 8080)) {
            assertThat(plain(channel).open("GET /ws HTTP/1.1\r\nHost: " + NAME + ":8080\r\n\r\n")).startsWith("HTTP/1.1 502");
        }
        try (SocketChannel channel = connect(ADDRESS, 8081)) {
            assertThat(plain(channel).open(WebSocketPeer.opening(NAME + ":8081", "/ws", ""))).as("another than it was asked for").startsWith("HTTP/1.1 502");
        }
    }

    private void answering(int port, String answer) throws IOException {
        world.serve(ADDRESS, port, connection -> {
            try (connection) {
                plain(connection).open(""); // the head of what it is asked
                connection.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.US_ASCII)));
                connection.read(ByteBuffer.allocate(1)); // until the gateway goes
            } catch (IOException ended) {
                // by the other side
            }
        });
    }

    /** The end of one direction is passed on, and what still comes in the other is too. */
    @Test
    void oneSideMayEndBeforeTheOther() throws IOException {
        CompletableFuture<String> whole = new CompletableFuture<>();
        world.serve(ADDRESS, 8080, connection -> {
            try (connection) {
                plain(connection).open("");
                connection.write(ByteBuffer.wrap("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
                whole.complete(rest(connection));
                connection.write(ByteBuffer.wrap("after the end".getBytes(StandardCharsets.US_ASCII)));
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        });
        change(allowing("allow api.example.org:8080 GET"));
        try (SocketChannel channel = connect(ADDRESS, 8080)) {
            assertThat(plain(channel).open(WebSocketPeer.opening(NAME + ":8080", "/ws", ""))).startsWith(SWITCHED);
            assertThat(said(channel, "before the end")).isEqualTo("after the end");
            assertThat(whole.join()).isEqualTo("before the end");
        }
        Journey told = lastJourney();
        assertThat(List.of(told.sent(), told.received())).containsExactly(14L, 13L);
    }

    /** What nobody reads is not kept by the gateway, however much is written. */
    @Test
    void aReaderThatDoesNotReadStopsTheWriter() throws Exception {
        CompletableFuture<SocketChannel> writing = new CompletableFuture<>();
        world.serve(ADDRESS, 8080, connection -> {
            try {
                plain(connection).open("");
                connection.write(ByteBuffer.wrap("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
                writing.complete(connection);
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        });
        change(allowing("allow api.example.org:8080 GET"));
        try (SocketChannel channel = connect(ADDRESS, 8080)) {
            assertThat(plain(channel).open(WebSocketPeer.opening(NAME + ":8080", "/ws", ""))).startsWith(SWITCHED);
            SocketChannel server = writing.get();
            long written = Flood.into(server);
            server.close();
            ByteBuffer sink = ByteBuffer.allocate(1 << 20);
            long read = 0;
            for (int got = channel.read(sink); got >= 0; got = channel.read(sink.clear())) {
                read += got;
            }
            assertThat(read).as("what was taken arrives").isEqualTo(written);
        }
    }
}
