package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.network.intercept.Addition;
import dev.sandglass.network.intercept.Detour;
import dev.sandglass.network.intercept.Provision;
import dev.sandglass.network.intercept.WorldAuthority;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests for a provider go to a proxy instead, below its path and to nothing else there. */
class DetourTest extends GatewayFixture {
    private static final String NAME = "api.example.org";
    private static final String ELSEWHERE = "192.0.2.1";
    private volatile Detour detour = new Detour(false, "127.0.0.1", 4000, "", "/team/a");
    private PlayedModels models;

    @Override
    Secrets secrets() {
        return new Secrets() {
            @Override
            public boolean concern(Attempt attempt) {
                return attempt.name().filter(name -> name.text().equals(NAME)).isPresent();
            }

            @Override
            public Provision of(Attempt request) {
                boolean isOther = request.request().orElseThrow().path().toString().startsWith("/other");
                return isOther ? Provision.NONE : new Provision(List.of(new Addition.Field("x-api-key", "s3cret")), Optional.of(detour), Optional.empty());
            }

            @Override
            public boolean leadElsewhere(HostName name) {
                return name.text().equals(NAME);
            }
        };
    }

    @BeforeEach
    void serve() throws IOException {
        models = world.models("127.0.0.1", 4000, Optional.empty());
        change(allowing("allow " + NAME));
    }

    private String ask(String line, String address) throws IOException {
        try (SocketChannel channel = connect(address, 443);
                SSLSocket socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), NAME, 443, true)) {
            socket.getOutputStream().write((line + " HTTP/1.1\r\nHost: " + NAME + "\r\nx-api-key: placeholder\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** Nobody knows the provider's name here, and the proxy is on the machine itself. */
    @Test
    void theProxyIsReachedWhereverItIsAndNobodyElseThere() throws IOException {
        assertThat(resolve(NAME)).containsExactly(ELSEWHERE);
        assertThat(ask("POST /v1/messages?a=b", ELSEWHERE)).contains("HTTP/1.1 200").contains("usage");
        PlayedModels.Asked asked = models.asked().getFirst();
        assertThat(List.of(asked.target(), asked.field("Host"), asked.field("x-api-key"), asked.body())).containsExactly("/team/a/v1/messages?a=b", "127.0.0.1:4000", "s3cret", "{}");
        for (String line : List.of("POST /../b/messages", "POST /..%2fb", "POST /%2e%2e/b", "POST /x/..;/b", "POST /a\\..\\b", "POST //b/messages")) {
            assertThat(ask(line, ELSEWHERE)).as(line).contains("HTTP/1.1 400");
        }
        assertThat(models.asked()).hasSize(1);
        assertThat(ask("POST /c//b/messages", ELSEWHERE)).as("as the proxy was asked, which refuses it").contains("http://127.0.0.1:4000/team/a/c//b/messages");
    }

    @Test
    void aPathOfTheProviderIsReplacedAndAnotherIsNotServed() throws IOException {
        detour = new Detour(false, "127.0.0.1", 4000, "/v1", "/openai/v1");
        resolve(NAME);
        assertThat(ask("POST /v1/chat/completions", ELSEWHERE)).contains("HTTP/1.1 200");
        assertThat(models.asked().getFirst().target()).isEqualTo("/openai/v1/chat/completions");
        assertThat(ask("POST /v2/chat/completions", ELSEWHERE)).contains("HTTP/1.1 502");
        assertThat(ask("POST /v12/chat/completions", ELSEWHERE)).contains("HTTP/1.1 502");
        assertThat(models.asked()).hasSize(1);
    }

    /** What is left of a path may begin with two slashes, and what follows them is not the name of a host. */
    @Test
    void whatIsLeftOfAPathIsSentAsItIsOrNotAtAll() throws IOException {
        detour = new Detour(false, "127.0.0.1", 4000, "/v1", "");
        resolve(NAME);
        assertThat(ask("POST /v1/messages", ELSEWHERE)).contains("HTTP/1.1 200");
        for (String line : List.of("POST /v1//x/messages", "POST /v1///messages", "POST /v1//x/messages?a=b")) {
            assertThat(ask(line, ELSEWHERE)).as(line).contains("HTTP/1.1 400");
        }
        assertThat(models.asked()).extracting(PlayedModels.Asked::target).containsExactly("/messages");
    }

    /** As models that are spoken with use. */
    @Test
    void aWebSocketIsOpenedThereToo() throws IOException {
        world.webSocket("127.0.0.1", 4001, Optional.empty());
        detour = new Detour(false, "127.0.0.1", 4001, "/v1/realtime", "/ws");
        resolve(NAME);
        try (SocketChannel channel = connect(ELSEWHERE, 443);
                SSLSocket socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), NAME, 443, true)) {
            WebSocketPeer peer = new WebSocketPeer(socket.getInputStream(), socket.getOutputStream());
            assertThat(peer.open(WebSocketPeer.opening(NAME, "/v1/realtime", ""))).startsWith("HTTP/1.1 101 ");
            assertThat(peer.hear()).startsWith("authorization=");
            peer.say("hello");
            assertThat(peer.hear()).isEqualTo("hello");
        }
    }

    @Test
    void aRedirectIsPassedOnAndNotFollowed() throws IOException {
        world.name("elsewhere.example.org", "203.0.113.30");
        PlayedModels other = world.models("203.0.113.30", 443, Optional.of("elsewhere.example.org"));
        resolve(NAME);
        assertThat(ask("POST /v1/messages?redirect", ELSEWHERE)).contains("HTTP/1.1 307").contains("https://elsewhere.example.org/v1/messages");
        assertThat(other.asked()).isEmpty();
    }

    @Test
    void itsCertificateIsCheckedToo() throws IOException {
        world.name("proxy.example.org", "203.0.113.31");
        PlayedModels secured = world.models("203.0.113.31", 443, Optional.of("proxy.example.org"));
        resolve(NAME);
        detour = new Detour(true, "203.0.113.31", 443, "", "");
        assertThat(ask("POST /v1/messages", ELSEWHERE)).as("it is called by its address, and has a certificate for its name").contains("HTTP/1.1 502").doesNotContain("s3cret");
        world.name("proxy2.example.org", "203.0.113.31");
        detour = new Detour(true, "proxy2.example.org", 443, "", "");
        assertThat(ask("POST /v1/messages", ELSEWHERE)).as("another name").contains("HTTP/1.1 502");
        assertThat(secured.asked()).isEmpty();
        detour = new Detour(true, "proxy.example.org", 443, "", "");
        assertThat(ask("POST /v1/messages", ELSEWHERE)).contains("HTTP/1.1 200");
    }

    /** The address that the sandbox was told for the name stands for none, and is nobody's to be dialed. */
    @Test
    void aRequestThatNoCredentialFitsGoesNowhereIfItsNameDoes() throws IOException {
        resolve(NAME);
        assertThat(ask("POST /other", ELSEWHERE)).contains("HTTP/1.1 502").contains("No credential of this sandbox fits this request").contains("leads nowhere");
        await().until(() -> journeys.stream().anyMatch(each -> each.verdict() == Verdict.DENY));
        Journey told = journeys.stream().filter(each -> each.verdict() == Verdict.DENY).findFirst().orElseThrow();
        assertThat(told.status()).isEqualTo(OptionalInt.of(502));
        assertThat(told.why()).contains("no credential");
        world.name(NAME, "203.0.113.40");
        world.https("203.0.113.40", 443, NAME);
        await().until(() -> resolve(NAME).equals(List.of("203.0.113.40"))); // that nobody knows it is remembered for a while
        assertThat(ask("POST /other", "203.0.113.40")).as("it is known now").contains("POST /other of " + NAME);
    }

    @Test
    void whatLeadsNowhereIsSaid() throws IOException {
        resolve(NAME);
        for (String host : List.of("unknown.example.org", "169.254.169.254", "224.0.0.1", "0.0.0.0")) {
            detour = new Detour(false, host, 4000, "", "");
            assertThat(ask("POST /v1/messages", ELSEWHERE)).as(host).contains("HTTP/1.1 502").contains("base URL");
        }
    }

    /** Private addresses are for who owns the host, not for sandboxes. */
    @Test
    void theSandboxItselfGetsNowhereByIt() throws IOException {
        resolve(NAME);
        change(allowing("allow *"));
        try (SocketChannel channel = connect("127.0.0.1", 4000)) {
            assertThat(said(channel, "GET / HTTP/1.0\r\n\r\n")).isEmpty();
        } catch (IOException refused) {
            assertThat(refused).hasMessageMatching("Connection re(fused|set).*");
        }
        assertThat(models.asked()).isEmpty();
    }
}
