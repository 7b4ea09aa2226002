package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.network.intercept.WorldAuthority;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What servers see of requests that are looked into, and what those see who speak on when they were answered. */
class ServersTest extends GatewayFixture {
    private static final String ADDRESS = "203.0.113.10";
    private static final String NAME = "api.example.org";

    @BeforeEach
    void name() {
        world.name(NAME, ADDRESS);
    }

    private Process curl(int port, String path, String... options) throws IOException {
        Path trusted = Files.writeString(directory.resolve("inside.pem"), authority.certificate());
        String place = NAME + ":" + port;
        List<String> words = new ArrayList<>(List.of("nsenter", "--net=" + gate.pair().inside(), "curl", "-sS", "--max-time", "60", "--cacert", trusted.toString(), "--resolve", place + ":" + ADDRESS, "https://" + (port == 443 ? NAME : place) + path));
        words.addAll(List.of(options));
        return new ProcessBuilder(words).redirectErrorStream(true).start();
    }

    private static String said(Process curl) throws IOException {
        return new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** As without a gateway: its name with a port where that is not the usual one, and no field that nobody has sent. */
    @ParameterizedTest
    @ValueSource(strings = {"--http2", "--http1.1"})
    void aServerSeesWhatItWasAsked(String version) throws IOException {
        world.webSocket(ADDRESS, 443, Optional.of(NAME));
        world.webSocket(ADDRESS, 8443, Optional.of(NAME));
        change(allowing("allow api.example.org:443,8443 /a"));
        resolve(NAME);
        assertThat(said(curl(443, "/a?b=c", version, "-X", "POST", "-A", "curl"))).isEqualTo("HTTP/2.0 POST https://api.example.org/a?b=c\naccept: */*\nhost: api.example.org\nuser-agent: curl\n");
        assertThat(said(curl(443, "/a", version, "-A", "curl", "-H", "Content-Type:", "-d", "xyz"))).doesNotContain("content-type").contains("content-length: 3");
        assertThat(said(curl(8443, "/a", version, "-A", "curl"))).startsWith("HTTP/2.0 GET https://api.example.org:8443/a\n").contains("host: api.example.org:8443\n");
    }

    /** A server that thinks for ever about what it is asked; counted down by a request, and by its end. */
    private void thinking(CountDownLatch asked, CountDownLatch left) throws IOException {
        world.serve(ADDRESS, 8443, connection -> {
            try (SSLSocket socket = (SSLSocket) WorldAuthority.context(world.authority(), NAME).getSocketFactory().createSocket(connection.socket(), null, 8443, true)) {
                socket.setUseClientMode(false);
                socket.getInputStream().read(new byte[4096]);
                asked.countDown();
                while (socket.getInputStream().read() >= 0) {}
            } catch (IOException ended) {
                // by the other side
            }
            left.countDown();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"--http2", "--http1.1"})
    void aChangeOfThePolicyEndsWhatAServerStillThinksAbout(String version) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        thinking(asked, left);
        change(allowing("allow api.example.org:8443 GET /open"));
        resolve(NAME);
        Process curl = curl(8443, "/open", version);
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        change(allowing("allow api.example.org:8443 GET /other"));
        assertThat(left.await(30, TimeUnit.SECONDS)).as("the server was told").isTrue();
        assertThat(curl.waitFor()).isNotZero();
        await().until(() -> !journeys.isEmpty());
        assertThat(journeys.element().why()).contains("the connection of the sandbox ended");
    }

    /** Over HTTP/2, where that can be told from one who has only said everything. */
    @Test
    void aServerIsToldWhenWhoAskedHasLeft() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        thinking(asked, left);
        change(allowing("allow api.example.org:8443 GET /open"));
        resolve(NAME);
        Process curl = curl(8443, "/open", "--http2");
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        curl.destroyForcibly().waitFor();
        assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
        await().until(() -> !journeys.isEmpty());
        assertThat(journeys.element().why()).contains("the connection of the sandbox ended");
    }

    /** One that is closed before it was read to its end would be reset, and the answer with it. */
    @Test
    void whoGoesOnSpeakingReadsTheAnswerToo() throws IOException {
        world.http(ADDRESS, 80);
        change(allowing("allow api.example.org GET /"));
        resolve(NAME);
        try (SocketChannel channel = connect(ADDRESS, 80)) {
            ByteBuffer said = ByteBuffer.wrap(("GET / HTTP/1.1\r\nHost: api.example.org\r\nX-Large: " + "a".repeat(3_000_000) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            while (said.hasRemaining()) {
                channel.write(said);
            }
            assertThat(rest(channel)).startsWith("HTTP/1.1 400").contains("malformed_request");
        }
    }
}
