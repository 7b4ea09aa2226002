package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.server.api.Contract;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Nothing of the API is reachable without the token, under a foreign name, or from a foreign page. */
class GatekeeperTest {
    private final AtomicInteger calls = new AtomicInteger();
    private final List<Operation> operations = Contract.ofApi().operations();
    private Door door;

    @BeforeEach
    void open() throws IOException {
        Map<String, Handler> handlers = new HashMap<>();
        operations.forEach(operation -> handlers.put(operation.id(), exchange -> {
            calls.incrementAndGet();
            exchange.answerNothing();
        }));
        door = Door.serve(new Router(operations, handlers), 1000);
    }

    @AfterEach
    void close() throws IOException {
        door.close();
    }

    @TestFactory
    List<DynamicTest> everyOperationNeedsTheTokenAndOurHost() {
        return operations.stream()
                .map(operation -> DynamicTest.dynamicTest(operation.id(), () -> {
                    String line = operation.method() + " " + operation.path().text().replaceAll("[{}]", "") + "?path=x HTTP/1.1\r\n";
                    String bearer = "Authorization: Bearer " + door.token.text() + "\r\n";
                    for (boolean unix : new boolean[] {false, true}) {
                        try (RawConnection raw = unix ? door.unix() : door.tcp()) {
                            assertCode(raw, line + "Host: localhost\r\n\r\n", 401, "unauthorized");
                            assertCode(raw, line + "Host: localhost\r\nAuthorization: Bearer 00\r\n\r\n", 401, "unauthorized");
                            assertCode(raw, line + "Host: evil.example\r\n" + bearer + "\r\n", 403, "forbidden_host");
                            assertCode(
                                    raw,
                                    line + "Host: localhost\r\nOrigin: http://evil.example\r\n" + bearer + "\r\n",
                                    403,
                                    "forbidden_origin");
                        }
                    }
                    assertThat(calls).hasValue(0);
                }))
                .toList();
    }

    @Test
    void aPathThatDoesNotExistIsStillUnauthorizedFirst() throws IOException {
        try (RawConnection raw = door.tcp()) {
            RawConnection.Answer answer = raw.send("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n").readAnswer();
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.headers()).containsEntry("www-authenticate", "Bearer");
        }
    }

    @Test
    void theTokenIsCheckedBeforeTheBodyIsRead() throws IOException {
        try (RawConnection raw = door.tcp()) {
            raw.sendHead(
                    "PUT /v1/sandboxes/a/files?path=x HTTP/1.1",
                    "Host: localhost",
                    "Content-Type: application/octet-stream",
                    "Content-Length: 1000000",
                    "Expect: 100-continue");
            assertThat(raw.readAnswer().status()).as("no 100 first").isEqualTo(401);
            assertThat(raw.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void ourNamesAreAcceptedWithAnyPort() throws IOException {
        for (String host : List.of("localhost", "LOCALHOST:1", "127.0.0.1:7070", "[::1]", "[::1]:7070", "box.example:80")) {
            assertThat(health(door.tcp(), "Host: " + host + "\r\n")).as(host).isEqualTo(204);
        }
        for (String host : List.of("localhost.evil.example", "127.0.0.2", "[::2]", "evil", "box.example.", "localhost@evil", "0")) {
            assertThat(health(door.tcp(), "Host: " + host + "\r\n")).as(host).isIn(400, 403);
        }
    }

    @Test
    void ourPagesMayCall() throws IOException {
        for (String origin : List.of("http://localhost:7070", "http://127.0.0.1", "https://box.example")) {
            assertThat(health(door.tcp(), "Host: localhost\r\nOrigin: " + origin + "\r\n")).as(origin).isEqualTo(204);
        }
        for (String origin : List.of("null", "http://localhost.evil.example", "file://", "http://evil@localhost", "localhost", "")) {
            assertThat(health(door.tcp(), "Host: localhost\r\nOrigin: " + origin + "\r\n")).as(origin).isEqualTo(403);
        }
    }

    @Test
    void anAbsoluteTargetMustBeOursToo() throws IOException {
        String token = "Authorization: Bearer " + door.token.text() + "\r\n\r\n";
        try (RawConnection raw = door.tcp()) {
            raw.send("GET http://evil.example/v1/health HTTP/1.1\r\nHost: evil.example\r\n" + token);
            assertThat(raw.readAnswer().status()).isEqualTo(403);
        }
        try (RawConnection raw = door.tcp()) {
            raw.send("GET http://evil.example/v1/health HTTP/1.1\r\nHost: localhost\r\n" + token);
            assertThat(raw.readAnswer().status()).isIn(400, 403);
        }
        try (RawConnection raw = door.tcp()) {
            raw.send("GET http://localhost/v1/health HTTP/1.1\r\nHost: localhost\r\n" + token);
            assertThat(raw.readHead().status()).isEqualTo(204);
        }
    }

    @Test
    void aMissingHostIsFineOnTheUnixSocketAlone() throws IOException {
        String request = "GET /v1/health HTTP/1.0\r\nAuthorization: Bearer " + door.token.text() + "\r\n\r\n";
        try (RawConnection tcp = door.tcp(); RawConnection unix = door.unix()) {
            assertThat(tcp.send(request).readHead().status()).isEqualTo(403);
            assertThat(unix.send(request).readHead().status()).isEqualTo(204);
        }
    }

    @Test
    void twoTokensAreNone() throws IOException {
        try (RawConnection raw = door.tcp()) {
            raw.send("GET /v1/health HTTP/1.1\r\n" + door.goodHeaders() + "Authorization: Bearer " + door.token.text() + "\r\n\r\n");
            assertThat(raw.readAnswer().status()).isEqualTo(401);
        }
    }

    private int health(RawConnection connection, String headers) throws IOException {
        try (connection) {
            connection.send("GET /v1/health HTTP/1.1\r\nAuthorization: Bearer " + door.token.text() + "\r\n" + headers + "\r\n");
            return connection.readHead().status();
        }
    }

    private static void assertCode(RawConnection raw, String request, int status, String code) throws IOException {
        RawConnection.Answer answer = raw.send(request).readAnswer();
        assertThat(answer.status()).as(request).isEqualTo(status);
        assertThat(answer.problem().code()).isEqualTo(code);
        assertThat(answer.headers()).containsEntry("content-type", "application/json").containsEntry("x-content-type-options", "nosniff");
    }
}
