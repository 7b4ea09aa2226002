package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.network.intercept.Addition;
import dev.sandglass.network.intercept.Provision;
import dev.sandglass.network.intercept.StrangeAuthority;
import dev.sandglass.network.intercept.WorldAuthority;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a sandbox must not see is added to its requests on their way, and to no others. */
class InjectionTest extends GatewayFixture {
    private static final String ADDRESS = "203.0.113.10";
    private static final String NAME = "api.example.org";
    private static final String OTHER = "models.example.org";
    private static final String OTHER_ADDRESS = "203.0.113.21";
    private volatile List<Addition> additions = List.of();

    /** For requests to {@code /v1} of two hosts, inside of TLS. */
    @Override
    Secrets secrets() {
        return new Secrets() {
            @Override
            public boolean concern(Attempt attempt) {
                return attempt.port().orElse(0) == 443 && attempt.name().filter(name -> name.text().equals(NAME) || name.text().equals(OTHER)).isPresent();
            }

            @Override
            public Provision of(Attempt request) {
                return concern(request) && request.request().orElseThrow().path().toString().startsWith("/v1") ? Provision.of(additions) : Provision.NONE;
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
        world.http(ADDRESS, 80);
        world.https(ADDRESS, 443, NAME);
        change(allowing("allow api.example.org"));
        resolve(NAME);
    }

    private String ask(String line, String rest) throws IOException {
        return askOf(NAME, ADDRESS, line, rest);
    }

    private String askOf(String name, String address, String line, String rest) throws IOException {
        try (SocketChannel channel = connect(address, 443)) {
            return askOn(channel, name, line, rest);
        }
    }

    private String askOn(SocketChannel channel, String name, String line, String rest) throws IOException {
        try (SSLSocket socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), name, 443, true)) {
            socket.getOutputStream().write((line + " HTTP/1.1\r\nHost: " + name + "\r\nConnection: close\r\n" + rest).getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void aFieldIsPutInThePlaceOfWhatTheSandboxSent() throws IOException {
        additions = List.of(new Addition.Field("Authorization", "Bearer s3cret"));
        assertThat(ask("GET /v1/models", "Authorization: Bearer placeholder\r\n\r\n")).contains("authorization=Bearer s3cret");
        assertThat(ask("GET /v2/models", "Authorization: Bearer placeholder\r\n\r\n")).as("another path").contains("authorization=Bearer placeholder");
        additions = List.of(new Addition.Field("Authorization", "Bearer rotated"));
        assertThat(ask("GET /v1/models", "\r\n")).as("the next request").contains("authorization=Bearer rotated");
    }

    /** What gets a secret is looked into whenever it comes: a slow one was taken for plain HTTP once. */
    @Test
    void aClientThatSpeaksLateGetsItToo() throws IOException {
        additions = List.of(new Addition.Field("Authorization", "Bearer s3cret"));
        try (SocketChannel channel = connect(ADDRESS, 443)) {
            assertThat(rested(channel)).isTrue();
            channel.socket().setSoTimeout(0);
            assertThat(askOn(channel, NAME, "GET /v1/models", "\r\n")).contains("authorization=Bearer s3cret");
        }
    }

    /** Its answer would show what was added. */
    @Test
    void traceIsNotPassedOn() throws IOException {
        additions = List.of(new Addition.Field("Authorization", "Bearer s3cret"));
        assertThat(ask("TRACE /v1/models", "\r\n")).startsWith("HTTP/1.1 405").doesNotContain("s3cret").doesNotContain("TRACE /v1/models of");
        assertThat(ask("CONNECT " + NAME + ":443", "\r\n")).startsWith("HTTP/1.1 501").doesNotContain("s3cret");
        await().until(() -> journeys.size() == 2);
        assertThat(journeys).extracting(Journey::verdict).containsOnly(Verdict.DENY);
        assertThat(journeys).extracting(Journey::status).containsExactly(OptionalInt.of(405), OptionalInt.of(501));
    }

    @Test
    void nothingIsAddedWithoutTls() throws IOException {
        additions = List.of(new Addition.Field("Authorization", "Bearer s3cret"));
        assertThat(exchange(ADDRESS, 80, "GET /v1/models HTTP/1.1\r\nHost: " + NAME + "\r\nConnection: close\r\n\r\n")).contains("authorization=null");
    }

    @Test
    void aParameterReplacesThoseOfItsName() throws IOException {
        additions = List.of(new Addition.Parameter("key", "a&b"));
        assertThat(ask("GET /v1/models?key=mine&q=1&k%65y=other", "\r\n")).contains("GET /v1/models?q=1&key=a%26b of");
        assertThat(ask("GET /v1/models", "\r\n")).contains("GET /v1/models?key=a%26b of");
    }

    @Test
    void aPlaceholderIsReplacedInFieldsQueryAndBody() throws IOException {
        additions = List.of(new Addition.Replacement("PLACEHOLDER", "s3cret-and-longer"));
        String got = ask("POST /v1/x?t=PLACEHOLDER", "Authorization: Token PLACEHOLDER\r\nContent-Length: 24\r\n\r\n{\"token\":\"PLACEHOLDER\"} ");
        assertThat(got).contains("t=s3cret-and-longer of").contains("body={\"token\":\"s3cret-and-longer\"} ").contains("authorization=Token s3cret-and-longer");
    }

    @Test
    void aBodyThatWaitsToBeAskedForIsReplacedToo() throws IOException {
        additions = List.of(new Addition.Replacement("PLACEHOLDER", "s3cret-and-longer"));
        assertThat(ask("POST /v1/x", "Expect: 100-continue\r\nContent-Length: 11\r\n\r\nPLACEHOLDER")).contains("body=s3cret-and-longer authorization");
    }

    /** A body whose length nobody said, or that is too long, is passed on as it is, whole and without the secret. */
    @Test
    void aPlaceholderInABodyThatCannotBeReplacedStaysOne() throws IOException {
        additions = List.of(new Addition.Replacement("PLACEHOLDER", "s3cret-and-longer"));
        String chunked = ask("POST /v1/x", "Transfer-Encoding: chunked\r\n\r\n5\r\nPLACE\r\n6\r\nHOLDER\r\n0\r\n\r\n");
        assertThat(chunked).contains("body=PLACEHOLDER authorization").doesNotContain("s3cret");
        String fill = "x".repeat((1 << 20) - 11);
        assertThat(ask("POST /v1/x", "Content-Length: " + (1 << 20) + "\r\n\r\n" + fill + "PLACEHOLDER")).as("1 MiB").contains("body=" + fill + "s3cret-and-longer ");
        assertThat(ask("POST /v1/x", "Content-Length: " + ((1 << 20) + 1) + "\r\n\r\n" + fill + "yPLACEHOLDER")).as("one byte more").contains("body=" + fill + "yPLACEHOLDER ").doesNotContain("s3cret");
    }

    /** A short text may stand for a long secret, and be there many times: what would become of it is not held by the daemon. */
    @Test
    void aPlaceholderThatIsThereTooOftenStaysOne() throws IOException {
        additions = List.of(new Addition.Replacement("PLACEHOLDER", "s3cret".repeat(1000)));
        String often = "PLACEHOLDER".repeat(1000);
        String got = ask("POST /v1/x?t=" + often, "Authorization: " + often + "\r\nContent-Length: " + often.length() + "\r\n\r\n" + often);
        assertThat(got).contains("t=" + often + " of").contains("body=" + often + " ").contains("authorization=" + often).doesNotContain("s3cret");
        assertThat(ask("POST /v1/x", "Content-Length: 110\r\n\r\n" + "PLACEHOLDER".repeat(10))).contains("body=" + "s3cret".repeat(10_000) + " ");
    }

    /** By HTTP/2 towards the server. */
    @Test
    void aPlaceholderIsReplacedInHttp2Too() throws IOException {
        world.name(OTHER, OTHER_ADDRESS);
        PlayedModels server = world.models(OTHER_ADDRESS, 443, Optional.of(OTHER));
        change(allowing("allow " + OTHER));
        resolve(OTHER);
        additions = List.of(new Addition.Replacement("PLACEHOLDER", "s3cret-and-longer"));
        askOf(OTHER, OTHER_ADDRESS, "POST /v1/x?key=PLACEHOLDER", "X-Key: PLACEHOLDER\r\nContent-Length: 13\r\n\r\n[PLACEHOLDER]");
        PlayedModels.Asked asked = server.asked().getFirst();
        assertThat(List.of(asked.protocol(), asked.target(), asked.field("X-Key"), asked.body())).containsExactly("HTTP/2.0", "/v1/x?key=s3cret-and-longer", "s3cret-and-longer", "[s3cret-and-longer]");
    }

    /** What the sandbox makes of a redirect is a request of its own, and gets what belongs to where it goes: nothing. */
    @Test
    void aRedirectIsNotFollowedAndTheNextHostGetsNothing() throws IOException {
        world.name(OTHER, OTHER_ADDRESS);
        PlayedModels redirecting = world.models(OTHER_ADDRESS, 443, Optional.of(OTHER));
        world.name("elsewhere.example.org", "203.0.113.22");
        PlayedModels elsewhere = world.models("203.0.113.22", 443, Optional.of("elsewhere.example.org"));
        change(allowing("allow " + OTHER, "allow elsewhere.example.org:443 POST /*"));
        resolve(OTHER);
        resolve("elsewhere.example.org");
        additions = List.of(new Addition.Field("x-api-key", "s3cret"));
        assertThat(askOf(OTHER, OTHER_ADDRESS, "POST /v1/x?redirect", "Content-Length: 0\r\n\r\n")).contains("307").contains("https://elsewhere.example.org/v1/messages").doesNotContain("s3cret");
        assertThat(redirecting.asked().getFirst().field("x-api-key")).isEqualTo("s3cret");
        assertThat(elsewhere.asked()).isEmpty();
        askOf("elsewhere.example.org", "203.0.113.22", "POST /v1/messages", "Content-Length: 2\r\n\r\n{}");
        assertThat(elsewhere.asked().getFirst().field("x-api-key")).isEqualTo("null");
    }

    /** A server that cannot show who it is gets no request at all. */
    @Test
    void noSecretGoesToAServerWhoseCertificateIsNotGood() throws IOException {
        additions = List.of(new Addition.Field("Authorization", "Bearer s3cret"));
        Instant now = Instant.now();
        Instant before = now.minus(Duration.ofDays(10));
        Instant later = now.plus(Duration.ofDays(10));
        StrangeAuthority trusted = new StrangeAuthority().trustedIn(world.outside().trusted().orElseThrow());
        world.https("203.0.113.41", 443, trusted.context(NAME, before, later));
        world.https("203.0.113.42", 443, trusted.context(NAME, before, now.minus(Duration.ofDays(1))));
        world.https("203.0.113.43", 443, trusted.context(NAME, now.plus(Duration.ofDays(1)), later));
        world.https("203.0.113.44", 443, trusted.context("other.example.org", before, later));
        world.https("203.0.113.45", 443, new StrangeAuthority().context(NAME, before, later));
        assertThat(of("203.0.113.41")).as("as it should be").contains("authorization=Bearer s3cret");
        for (String address : List.of("203.0.113.42", "203.0.113.43", "203.0.113.44", "203.0.113.45")) {
            assertThat(of(address)).as("expired, not valid yet, of another name, of an authority that nobody trusts: %s", address).contains("502").contains("certificate").doesNotContain("s3cret").doesNotContain("GET /v1/models of");
        }
    }

    private String of(String address) throws IOException {
        world.name(NAME, address);
        await().until(() -> resolve(NAME).equals(List.of(address))); // what was said of it is remembered for a second
        return askOf(NAME, address, "GET /v1/models", "\r\n");
    }

    @Test
    void noAdditionShowsItsSecretAsText() {
        assertThat(List.of(new Addition.Field("A", "s3cret"), new Addition.Parameter("b", "s3cret"), new Addition.Replacement("C", "s3cret")).toString()).doesNotContain("s3cret");
    }
}
