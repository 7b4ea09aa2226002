package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.network.intercept.WorldAuthority;
import dev.sandglass.wire.NetworkAttempt;
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
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;

/** Whatever a sandbox tries leaves a line that says what became of it, and what would open it if something would. */
class JournalTest extends GatewayFixture {
    private static final String ADDRESS = "203.0.113.10";
    private static final String NAME = "api.example.org";

    @BeforeEach
    void serve() throws IOException {
        world.name(NAME, ADDRESS);
    }

    private NetworkAttempt only() {
        await().until(() -> !journeys.isEmpty());
        assertThat(journeys).hasSize(1);
        return journeys.element().toWire();
    }

    private String plain(String lines) throws IOException {
        return exchange(ADDRESS, 80, lines.replace("\n", "\r\n"));
    }

    private String secured(String lines) throws IOException {
        try (SocketChannel channel = connect(ADDRESS, 443);
                SSLSocket socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), NAME, 443, true)) {
            socket.getOutputStream().write(lines.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** What the gateway takes from nobody, whatever the policy says. */
    @Test
    void requestsThatTheGatewayItselfRefusesAreTold() throws IOException {
        world.https(ADDRESS, 443, NAME);
        change(allowing("allow api.example.org:443 GET /left-pad"));
        resolve(NAME);
        assertThat(secured("GET /x/../left-pad HTTP/1.1\nHost: api.example.org\nConnection: close\n\n")).startsWith("HTTP/1.1 400");
        assertThat(secured("GET /left-pad?key=s3cret HTTP/1.1\nHost: evil.example\nConnection: close\n\n")).startsWith("HTTP/1.1 421");
        assertThat(secured("GET /left-pad HTTP/1.1\nHost: api.example.org\nUpgrade: h2c\nConnection: close, Upgrade\n\n")).startsWith("HTTP/1.1 501");
        await().until(() -> journeys.size() == 3);
        List<NetworkAttempt> told = journeys.stream().map(Journey::toWire).toList();
        assertThat(told).extracting(NetworkAttempt::verdict).containsOnly("deny");
        assertThat(told).extracting(NetworkAttempt::status).containsExactly(400, 421, 501);
        assertThat(told).extracting(NetworkAttempt::path).as("where it is clear").containsExactly(null, "/left-pad", "/left-pad");
        assertThat(told).extracting(NetworkAttempt::allow).as("nothing opens them").containsOnlyNulls();
        assertThat(told.get(1).why()).contains("evil.example");
    }

    @Test
    void aSecondRequestForAnotherHostIsTold() throws IOException {
        world.http(ADDRESS, 80);
        change(allowing("allow api.example.org:80"));
        resolve(NAME);
        assertThat(plain("GET /one HTTP/1.1\nHost: api.example.org\n\nGET /two HTTP/1.1\nHost: evil.example\nConnection: close\n\n")).contains("GET /one of").contains("HTTP/1.1 421");
        await().until(() -> journeys.size() == 2);
        assertThat(journeys).extracting(each -> each.toWire().status()).containsExactlyInAnyOrder(200, 421);
    }

    /** One spelling of a name is as good as another. */
    @Test
    void aNameWithADotAtItsEndIsTheSameHost() throws IOException {
        world.https(ADDRESS, 443, NAME);
        change(allowing("allow api.example.org:443 GET /"));
        resolve(NAME);
        assertThat(secured("GET / HTTP/1.1\nHost: API.example.org.\nConnection: close\n\n")).startsWith("HTTP/1.1 200").contains("GET / of api.example.org");
    }

    /** As the document says, with and without TLS. */
    @Test
    void aHeadOfAlmost32KiBIsPassedOn() throws IOException {
        world.http(ADDRESS, 80);
        world.https(ADDRESS, 443, NAME);
        change(allowing("allow api.example.org GET /"));
        resolve(NAME);
        String request = "GET / HTTP/1.1\nHost: api.example.org\nX-Large: " + "a".repeat(30_000) + "\nConnection: close\n\n";
        assertThat(plain(request)).startsWith("HTTP/1.1 200");
        assertThat(secured(request)).startsWith("HTTP/1.1 200");
        try (SocketChannel channel = connect(ADDRESS, 80)) {
            channel.write(ByteBuffer.wrap(request.replace("a\n", "a".repeat(3_000) + "\n").replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII)));
            assertThat(received(channel, 12)).as("more").isEqualTo("HTTP/1.1 400");
        }
    }

    /** Over HTTP/2, as curl does it. */
    private Process curl(String... options) throws IOException {
        Path trusted = Files.writeString(directory.resolve("inside.pem"), authority.certificate());
        List<String> words = new ArrayList<>(List.of("nsenter", "--net=" + gate.pair().inside(), "curl", "-sS", "--http2", "--max-time", "60", "--cacert", trusted.toString(), "--resolve", NAME + ":443:" + ADDRESS, "https://" + NAME + "/"));
        words.addAll(List.of(options));
        return new ProcessBuilder(words).redirectErrorStream(true).start();
    }

    /** Clients close when they have what they wanted, or had enough. */
    @Test
    void theStatusIsToldOfAnAnswerThatTheClientDidNotWaitFor() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        world.https(ADDRESS, 443, NAME, exchange -> {
            exchange.sendResponseHeaders(202, 10);
            exchange.getResponseBody().write("hello".getBytes(StandardCharsets.US_ASCII));
            exchange.getResponseBody().flush();
            try {
                over.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        change(allowing("allow api.example.org:443 GET /"));
        resolve(NAME);
        Process curl = curl("-N");
        assertThat(new String(curl.getInputStream().readNBytes(5), StandardCharsets.US_ASCII)).isEqualTo("hello");
        curl.destroyForcibly().waitFor();
        over.countDown(); // the rest never comes
        NetworkAttempt told = only();
        assertThat(List.of(told.verdict(), String.valueOf(told.status()), told.received())).containsExactly("allow", "202", 5L);
    }

    @Test
    void theStatusIsToldOfWhatTheGatewayAnswersInThePlaceOfAServer() throws IOException {
        change(allowing("allow api.example.org:80 GET /"));
        resolve(NAME);
        assertThat(plain("GET / HTTP/1.1\nHost: api.example.org\nConnection: close\n\n")).as("nothing listens there").startsWith("HTTP/1.1 502");
        assertThat(only().status()).isEqualTo(502);
    }

    @Test
    void aDeniedRequestIsOpenedByARuleAboutIt() throws IOException {
        world.http(ADDRESS, 80);
        change(allowing("deny api.example.org:80 /private/*", "allow api.example.org:80 GET"));
        resolve(NAME);
        String request = "GET /private/a HTTP/1.1\nHost: api.example.org\nConnection: close\n\n";
        assertThat(plain(request)).startsWith("HTTP/1.1 403").contains("'api.example.org:80 GET /private/a'");
        assertThat(only().allow()).isEqualTo("api.example.org:80 GET /private/a");
        change(gateway.policy().with(Rule.parse("allow " + only().allow())));
        assertThat(plain(request)).startsWith("HTTP/1.1 200");
        assertThat(plain(request.replace("/a", "/b"))).startsWith("HTTP/1.1 403");
    }

    /** A rule would not change that, so none is offered. */
    @Test
    void nothingOpensANameAtAnAddressThatIsNotIts() throws IOException {
        world.http(ADDRESS, 80);
        change(allowing("allow api.example.org:80"));
        resolve(NAME);
        assertThatThrownBy(() -> plain("GET / HTTP/1.1\nHost: evil.example\n\n")).isInstanceOf(IOException.class);
        NetworkAttempt told = only();
        assertThat(Optional.ofNullable(told.name())).contains("evil.example");
        assertThat(told.allow()).isNull();
        change(allowing("allow evil.example:80", "allow api.example.org:80"));
        assertThatThrownBy(() -> plain("GET / HTTP/1.1\nHost: evil.example\n\n")).isInstanceOf(IOException.class);
    }

    @Test
    void nothingOpensAnAddressThatIsReserved() throws IOException {
        assertThatThrownBy(() -> exchange("192.168.1.1", 80, "hello")).isInstanceOf(IOException.class);
        assertThat(only().why()).contains("reserved: private");
        assertThat(only().allow()).isNull();
    }

    @Test
    void ofNamesThatShareAnAddressTheOneIsToldThatWasMeant() throws IOException {
        List<String> names = List.of("a.example.org", "b.example.org", "c.example.org", "d.example.org");
        change(allowing("allow *.example.org:443"));
        for (String each : names) {
            world.name(each, ADDRESS);
            resolve(each);
        }
        for (String each : names) {
            journeys.clear();
            assertThatThrownBy(() -> plain("GET / HTTP/1.1\nHost: " + each + "\n\n")).isInstanceOf(IOException.class);
            assertThat(only().allow()).isEqualTo(each + ":80");
        }
    }

    @Test
    void namesThatLeadNowhereAreTold() throws IOException {
        world.name("private.example.org", "10.1.2.3");
        change(allowing("allow *.example.org"));
        for (int again = 0; again < 3; again++) {
            assertThat(ask("missing.example.org").getRcode()).isEqualTo(Rcode.NXDOMAIN);
            assertThat(resolve("private.example.org")).isEmpty();
        }
        assertThat(journeys).extracting(each -> each.verdict() + " " + each.attempt().name().orElseThrow() + ": " + each.why())
                .containsExactly("allow missing.example.org: not reached: no such name", "allow private.example.org: not reached: its address is reserved: private");
    }

    @Test
    void aRefusedNameIsToldWithTheRuleThatDecided() throws IOException {
        change(allowing("deny *.example.org"));
        ask("www.example.org");
        ask("www.example.com");
        assertThat(journeys).extracting(Journey::why).containsExactly("its name may not be asked for: deny *.example.org", "its name may not be asked for");
        assertThat(journeys).extracting(Journey::verdict).containsOnly(Verdict.DENY);
        assertThat(journeys).extracting(each -> each.toWire().allow()).containsExactly("www.example.org", "www.example.com");
    }
}
