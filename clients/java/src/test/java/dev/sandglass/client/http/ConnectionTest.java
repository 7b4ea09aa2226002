package dev.sandglass.client.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
final class ConnectionTest {
    @TempDir
    Path directory;

    private ServerSocketChannel server;
    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();

    @BeforeEach
    void listen() throws IOException {
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(directory.resolve("s")));
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void oneConnectionServesManyRequests() throws Exception {
        answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ncde\r\n1;x=y\r\nf\r\n0\r\nTrailer: t\r\n\r\n",
                "HTTP/1.1 204 No Content\r\n\r\n");
        try (Connection connection = connection()) {
            assertThat(connection.exchange(Request.of("GET", "/a")).bytes(10)).asString().isEqualTo("ab");
            assertThat(connection.reusable()).isTrue();
            assertThat(connection.exchange(Request.of("GET", "/b").with("X", "y")).bytes(10)).asString().isEqualTo("cdef");
            assertThat(connection.reusable()).isTrue();
            assertThat(connection.exchange(Request.of("DELETE", "/c")).bytes(10)).isEmpty();
        }
        assertThat(requests.poll(5, TimeUnit.SECONDS)).startsWith("GET /a HTTP/1.1\r\nHost: localhost\r\n");
        assertThat(requests.poll(5, TimeUnit.SECONDS)).contains("\r\nX: y\r\n");
        assertThat(requests.poll(5, TimeUnit.SECONDS)).startsWith("DELETE /c").contains("Content-Length: 0");
    }

    @Test
    void aBodyOfUnknownLengthGoesInChunks() throws Exception {
        answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        try (Connection connection = connection()) {
            connection.exchange(Request.of("PUT", "/a").with(new Words(-1, List.of("hello", " world"))));
        }
        assertThat(requests.poll(5, TimeUnit.SECONDS)).endsWith("Transfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n");
    }

    @Test
    void aBodyOfAnotherLengthThanAnnouncedIsAnError() throws Exception {
        answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        try (Connection connection = connection()) {
            assertThatThrownBy(() -> connection.exchange(Request.of("PUT", "/a").with(new Words(3, List.of("toolong"))))).hasMessageContaining("longer");
            assertThat(connection.reusable()).isFalse();
        }
    }

    @Test
    void anEarlyRefusalIsHeardAlthoughTheBodyIsCutOff() throws Exception {
        Thread.ofVirtual().start(() -> {
            try (SocketChannel channel = server.accept()) {
                channel.read(ByteBuffer.allocate(1000));
                channel.write(StandardCharsets.UTF_8.encode("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"));
            } catch (IOException gone) {
                requests.add("gone");
            }
        });
        try (Connection connection = connection()) {
            Response response = connection.exchange(Request.of("PUT", "/a").with(new Words(-1, List.of("x".repeat(4 << 20)))));
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.bytes(10)).asString().isEqualTo("no");
            assertThat(connection.reusable()).isFalse();
        }
    }

    /** A server that goes on reading would take all of it, and for nothing. */
    @Test
    void aBodyStopsWhenItsAnswerIsThere() throws Exception {
        AtomicLong sent = new AtomicLong();
        Thread.ofVirtual().start(() -> {
            try (SocketChannel channel = server.accept()) {
                channel.read(ByteBuffer.allocate(1000));
                channel.write(StandardCharsets.UTF_8.encode("HTTP/1.1 507 Full\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno"));
                channel.shutdownOutput();
                for (ByteBuffer dropped = ByteBuffer.allocate(65_536); channel.read(dropped) >= 0; dropped.clear()) {
                    Thread.onSpinWait();
                }
            } catch (IOException gone) {
                requests.add("gone");
            }
        });
        try (Connection connection = connection()) {
            Response response = connection.exchange(Request.of("PUT", "/a").with(new Endless(sent)));
            assertThat(response.status()).isEqualTo(507);
            assertThat(response.bytes(10)).asString().isEqualTo("no");
            assertThat(connection.reusable()).isFalse();
        }
        assertThat(sent.get()).isPositive();
    }

    @Test
    void malformedAnswersAreRefused() throws Exception {
        refused("HTTP/1.0 200 OK\r\n\r\n", "not an HTTP/1.1 answer");
        refused("HTTP/1.1 2x0 OK\r\n\r\n", "not an HTTP/1.1 answer");
        refused("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "malformed header");
        refused("HTTP/1.1 200 OK\r\nX: " + "y".repeat(20_000) + "\r\n\r\n", "longer than");
        refused("HTTP/1.1 200 OK\r\n" + "X: y\r\n".repeat(300) + "\r\n", "malformed header");
        refused("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "Content-Length");
        refused("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", "ended");
        refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "chunk");
        refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n", "chunk");
        refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\naXX\r\n", "line");
        refused("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n12345678901", "longer than 10");
        refused("HTTP/1.1 2", "ended");
    }

    @Test
    void aSilentServerIsGivenUp() throws Exception {
        try (Connection connection = new Connection(new Endpoint.Unix(directory.resolve("s")), 200)) {
            assertThatThrownBy(() -> connection.exchange(Request.of("GET", "/"))).isInstanceOf(SilentPeerException.class);
        }
    }

    @Test
    void headersCannotBeSmuggledIn() {
        assertThatThrownBy(() -> Request.of("GET", "/").with("Authorization", "Bearer x\r\nHost: y"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private void refused(String answer, String why) throws IOException {
        answer(answer);
        try (Connection connection = connection()) {
            assertThatThrownBy(() -> connection.exchange(Request.of("GET", "/")).bytes(10))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(why);
        }
    }

    private Connection connection() throws IOException {
        return new Connection(new Endpoint.Unix(directory.resolve("s")), 10_000);
    }

    /** Serves one connection: each read gets the next answer, then it closes. */
    private void answer(String... answers) {
        Thread.ofVirtual().start(() -> {
            try (SocketChannel channel = server.accept()) {
                for (String answer : answers) {
                    ByteBuffer buffer = ByteBuffer.allocate(65_536);
                    StringBuilder request = new StringBuilder();
                    do {
                        channel.read(buffer.clear());
                        request.append(StandardCharsets.UTF_8.decode(buffer.flip()));
                    } while (request.indexOf("chunked") > 0 && request.indexOf("\r\n0\r\n\r\n") < 0);
                    requests.add(request.toString());
                    channel.write(StandardCharsets.UTF_8.encode(answer));
                }
            } catch (IOException gone) {
                requests.add("gone");
            }
        });
    }

    /** A body that never ends by itself. */
    private record Endless(AtomicLong sent) implements Body {
        @Override
        public long length() {
            return -1;
        }

        @Override
        public String contentType() {
            return "text/plain";
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            while (true) {
                out.write(new byte[65_536]);
                sent.addAndGet(65_536);
            }
        }
    }

    private record Words(long length, List<String> words) implements Body {
        @Override
        public String contentType() {
            return "text/plain";
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            for (String word : words) {
                out.write(word.getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
