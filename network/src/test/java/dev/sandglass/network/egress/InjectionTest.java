package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.network.intercept.Addition;
import dev.sandglass.network.intercept.Provision;
import dev.sandglass.network.intercept.WorldAuthority;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a sandbox must not see is added to its requests on their way, and to no others. */
class InjectionTest extends GatewayFixture {
    private static final String ADDRESS = "203.0.113.10";
    private static final String NAME = "api.example.org";
    private volatile List<Addition> additions = List.of();

    /** For requests to {@code /v1} of the one host, inside of TLS. */
    @Override
    Secrets secrets() {
        return new Secrets() {
            @Override
            public boolean concern(Attempt attempt) {
                return attempt.port().orElse(0) == 443 && attempt.name().filter(name -> name.text().equals(NAME)).isPresent();
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
        try (SocketChannel channel = connect(ADDRESS, 443);
                SSLSocket socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), NAME, 443, true)) {
            socket.getOutputStream().write((line + " HTTP/1.1\r\nHost: " + NAME + "\r\nConnection: close\r\n" + rest).getBytes(StandardCharsets.US_ASCII));
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

    @Test
    void noAdditionShowsItsSecretAsText() {
        assertThat(List.of(new Addition.Field("A", "s3cret"), new Addition.Parameter("b", "s3cret"), new Addition.Replacement("C", "s3cret")).toString()).doesNotContain("s3cret");
    }
}
