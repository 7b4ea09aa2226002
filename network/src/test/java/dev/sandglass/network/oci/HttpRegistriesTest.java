package dev.sandglass.network.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.sandglass.engine.oci.ImageSource;
import dev.sandglass.engine.oci.Login;
import dev.sandglass.engine.oci.Reference;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.oci.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A registry is asked as it wants to be, gets no credential that is not meant for it, and holds nobody up. */
@Timeout(60)
class HttpRegistriesTest {
    private static final Duration SHORT = Duration.ofMillis(700);
    private static final Descriptor BLOB = Descriptor.of("", "sha256:" + "a".repeat(64), 5);

    private final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
    private final CountDownLatch over = new CountDownLatch(1);
    @TempDir
    private Path directory;
    private HttpServer server;
    private HttpServer other;

    @BeforeEach
    void start() throws IOException {
        server = server("registry");
        other = server("other");
    }

    @AfterEach
    void stop() {
        over.countDown();
        server.stop(0);
        other.stop(0);
    }

    private HttpServer server(String name) throws IOException {
        HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        made.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        made.createContext("/", exchange -> answer(exchange, 404, ""));
        made.start();
        assertThat(name).isNotEmpty();
        return made;
    }

    private void on(HttpServer where, String path, HttpHandler handler) {
        where.createContext(path, exchange -> {
            String authorization = exchange.getRequestHeaders().getFirst("Authorization");
            seen.add(exchange.getRequestURI() + " " + authorization);
            handler.handle(exchange);
        });
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static void challenge(HttpExchange exchange, String how) throws IOException {
        exchange.getResponseHeaders().add("WWW-Authenticate", how);
        answer(exchange, 401, "");
    }

    private static void redirect(HttpExchange exchange, String to) throws IOException {
        exchange.getResponseHeaders().add("Location", to);
        answer(exchange, 307, "");
    }

    private String at(HttpServer where, String host) {
        return host + ":" + where.getAddress().getPort();
    }

    private ImageSource open(Optional<Login> login) {
        return open("app", login);
    }

    private ImageSource open(String name, Optional<Login> login) {
        Reference reference = Reference.parse(at(server, "127.0.0.1") + "/team/" + name + ":1", Optional.empty());
        return new HttpRegistries(HttpRegistries.OF_THE_HOST, directory.resolve("config.json"), SHORT, SHORT.multipliedBy(2)).open(reference, login);
    }

    private static ErrorCode failure(ThrowingRead read) {
        return catchThrowableOfType(SandglassException.class, read::run).code();
    }

    private interface ThrowingRead {
        void run() throws IOException;
    }

    private static String text(InputStream stream) throws IOException {
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void aTokenIsFetchedWhereTheRegistrySaysAndUsed() throws IOException {
        on(other, "/token", exchange -> answer(exchange, 200, "{\"token\":\"t0ken\"}"));
        on(server, "/v2/team/app/manifests/1", exchange -> {
            if ("Bearer t0ken".equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                answer(exchange, 200, "{}");
            } else {
                challenge(exchange, "Bearer realm=\"http://" + at(other, "127.0.0.1") + "/token\",service=\"a service\",scope=\"repository:team/app:pull\"");
            }
        });
        try (ImageSource image = open(Optional.of(new Login("me", "pass:word")))) {
            assertThat(image.root()).asString(StandardCharsets.UTF_8).isEqualTo("{}");
            assertThat(image.root()).isNotEmpty();
        }
        String basic = "Basic " + Base64.getEncoder().encodeToString("me:pass:word".getBytes(StandardCharsets.UTF_8));
        assertThat(seen)
                .containsExactly(
                        "/v2/team/app/manifests/1 null",
                        "/token?service=a+service&scope=repository%3Ateam%2Fapp%3Apull " + basic,
                        "/v2/team/app/manifests/1 Bearer t0ken",
                        "/v2/team/app/manifests/1 Bearer t0ken");
    }

    @Test
    void theLoginOfTheDaemonsUserCounts() throws IOException {
        String encoded = Base64.getEncoder().encodeToString("me:word".getBytes(StandardCharsets.UTF_8));
        Files.writeString(directory.resolve("config.json"), "{\"auths\":{\"" + at(server, "127.0.0.1") + "\":{\"auth\":\"" + encoded + "\"}},\"credsStore\":\"x\"}");
        on(server, "/v2/team/app/manifests/1", exchange -> {
            if (("Basic " + encoded).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                answer(exchange, 200, "{}");
            } else {
                challenge(exchange, "Basic realm=\"x\"");
            }
        });
        try (ImageSource image = open(Optional.empty())) {
            assertThat(image.root()).isNotEmpty();
        }
    }

    @Test
    void whoeverIsNotKnownIsDenied() {
        on(server, "/v2/team/app/manifests/1", exchange -> challenge(exchange, "Basic realm=\"x\""));
        try (ImageSource image = open(Optional.empty())) {
            assertThat(failure(image::root)).isEqualTo(ErrorCode.REGISTRY_DENIED);
        }
        try (ImageSource image = open(Optional.of(new Login("me", "wrong")))) {
            assertThat(catchThrowableOfType(SandglassException.class, image::root)).hasMessageNotContaining("wrong").extracting(SandglassException::code).isEqualTo(ErrorCode.REGISTRY_DENIED);
        }
    }

    @Test
    void noCredentialGoesAlongToAnotherHost() throws IOException {
        on(server, "/v2/team/app/manifests/1", exchange -> challenge(exchange, "Basic realm=\"x\""));
        on(server, "/v2/team/app/blobs/", exchange -> {
            if (exchange.getRequestHeaders().getFirst("Authorization") == null) {
                challenge(exchange, "Basic realm=\"x\"");
            } else {
                redirect(exchange, "http://" + at(other, "localhost") + "/there");
            }
        });
        on(other, "/there", exchange -> answer(exchange, 200, "bytes"));
        try (ImageSource image = open(Optional.of(new Login("me", "word")))) {
            assertThat(text(image.blob(BLOB))).isEqualTo("bytes");
        }
        assertThat(seen).last().isEqualTo("/there null");
    }

    @Test
    void redirectsEnd() {
        on(server, "/v2/team/app/blobs/", exchange -> redirect(exchange, exchange.getRequestURI() + "x"));
        try (ImageSource image = open(Optional.empty())) {
            assertThat(failure(() -> text(image.blob(BLOB)))).isEqualTo(ErrorCode.REGISTRY_FAILED);
        }
        assertThat(seen).hasSize(6);
    }

    @ParameterizedTest
    @CsvSource({"http://example.org/x", "file:///etc/passwd", "''", "http://user@127.0.0.1/x", "'http://[bad'", "ftp://127.0.0.1/x"})
    void aRedirectLeadsOnlyWhereItIsSafe(String target) {
        on(server, "/v2/team/app/blobs/", exchange -> redirect(exchange, target));
        try (ImageSource image = open(Optional.empty())) {
            assertThat(failure(() -> text(image.blob(BLOB)))).isEqualTo(ErrorCode.REGISTRY_FAILED);
        }
    }

    @ParameterizedTest
    @CsvSource({"404,IMAGE_NOT_FOUND", "403,REGISTRY_DENIED", "500,REGISTRY_FAILED", "429,REGISTRY_FAILED", "204,REGISTRY_FAILED", "300,REGISTRY_FAILED"})
    void whatItAnswersIsSaid(int status, ErrorCode code) {
        on(server, "/v2/team/app/manifests/1", exchange -> answer(exchange, status, ""));
        try (ImageSource image = open(Optional.empty())) {
            assertThat(failure(image::root)).isEqualTo(code);
        }
    }

    @Test
    void oneThatHangsIsLetGo() {
        on(server, "/v2/team/app/manifests/1", exchange -> await());
        on(server, "/v2/team/app/blobs/", exchange -> {
            exchange.sendResponseHeaders(200, 5);
            exchange.getResponseBody().write('x');
            exchange.getResponseBody().flush();
            await();
        });
        try (ImageSource image = open(Optional.empty())) {
            assertThat(failure(image::root)).isEqualTo(ErrorCode.REGISTRY_FAILED);
            assertThat(failure(() -> text(image.blob(BLOB)))).isEqualTo(ErrorCode.REGISTRY_FAILED);
        }
    }

    /** More comes before anybody loses patience, and never the end. */
    @Test
    void aDocumentThatComesByAndByIsLetGoAndALayerIsNot() throws IOException {
        on(server, "/v2/team/app/manifests/1", exchange -> trickle(exchange, Integer.MAX_VALUE));
        on(server, "/v2/team/app/blobs/", exchange -> trickle(exchange, 30));
        on(other, "/token", exchange -> trickle(exchange, Integer.MAX_VALUE));
        on(server, "/v2/team/other/manifests/1", exchange -> challenge(exchange, "Bearer realm=\"http://" + at(other, "127.0.0.1") + "/token\""));
        try (ImageSource image = open(Optional.empty())) {
            assertThat(failure(image::root)).isEqualTo(ErrorCode.REGISTRY_FAILED);
            assertThat(failure(() -> text(image.configuration(BLOB)))).isEqualTo(ErrorCode.REGISTRY_FAILED);
            assertThat(text(image.blob(BLOB))).hasSize(30);
        }
        try (ImageSource image = open("other", Optional.empty())) {
            assertThat(failure(image::root)).isEqualTo(ErrorCode.REGISTRY_FAILED);
        }
    }

    private void trickle(HttpExchange exchange, int count) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream body = exchange.getResponseBody()) {
            for (int i = 0; i < count && !over.await(100, TimeUnit.MILLISECONDS); i++) {
                body.write(' ');
                body.flush();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void await() {
        try {
            over.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void oneThatBreaksOffOrIsTooLargeIsRefused() {
        on(server, "/v2/team/app/blobs/", exchange -> {
            exchange.sendResponseHeaders(200, 5);
            exchange.getResponseBody().write('x');
            exchange.getResponseBody().flush();
            throw new IOException("on purpose");
        });
        on(server, "/v2/team/app/manifests/1", exchange -> answer(exchange, 200, " ".repeat(5 << 20)));
        try (ImageSource image = open(Optional.empty())) {
            assertThat(failure(() -> text(image.blob(BLOB)))).isEqualTo(ErrorCode.REGISTRY_FAILED);
            assertThat(failure(image::root)).isEqualTo(ErrorCode.IMAGE_REFUSED);
        }
    }

    @Test
    void oneThatIsNotThereIsSaidToBe() {
        server.stop(0);
        try (ImageSource image = open(Optional.empty())) {
            assertThat(catchThrowableOfType(SandglassException.class, image::root)).hasMessageContaining("nobody listens there").extracting(SandglassException::code).isEqualTo(ErrorCode.REGISTRY_FAILED);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:5000/app,127.0.0.1:5000/app:latest",
        "example.org/a/b-c__d:V1.x,example.org/a/b-c__d:V1.x",
        "localhost/app@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,localhost/app@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "team/app,standard.example:7/team/app:latest",
        "[::1]:5000/app:1,[::1]:5000/app:1"
    })
    void aReferenceIsReadAsItIsEverywhere(String text, String meant) {
        assertThat(Reference.parse(text, Optional.of("standard.example:7"))).hasToString(meant);
    }

    @ParameterizedTest
    @CsvSource({"''", "App", "a//b", "/a", "a:", "a:b:c", "a@sha256:12", "a@md5:12", "-a", "a/", "example.org/", "http://example.org/a", "a b", "a:-x", "exa_mple.org/a", "a/../b"})
    void whatIsNoReferenceIsRefused(String text) {
        assertThat(failure(() -> Reference.parse(text, Optional.of("standard.example")))).isEqualTo(ErrorCode.INVALID_REQUEST);
        List<String> shown = List.of(String.valueOf(catchThrowableOfType(SandglassException.class, () -> Reference.parse("app", Optional.empty())).getMessage()));
        assertThat(shown.getFirst()).contains("no registry");
    }
}
