package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Broken, smuggled and oversized requests get a problem and a closed connection; what follows them is never served. */
class HostileRequestTest {
    private Door door;

    @BeforeEach
    void open() throws IOException {
        door = Door.open(Map.of(
                "getItem", Exchange::answerNothing,
                "postBytes", exchange -> {
                    exchange.body().readAllBytes();
                    exchange.answerNothing();
                }));
    }

    @AfterEach
    void close() throws IOException {
        door.close();
    }

    /** Each is sent with a second request behind it, as an attacker would hide one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /v1/bytes HTTP/1.1\r\n@Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Content-Length: 0\r\nContent-Length: 44\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Content-Length: 0, 44\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Content-Length: +4\r\n\r\nabcd",
                "POST /v1/bytes HTTP/1.1\r\n@Content-Length: -1\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Content-Length: 99999999999999999999\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
                "POST /v1/bytes HTTP/1.1\r\n@Transfer-Encoding: chunked\r\n\r\n5\nabcde\n0\n\n",
                "POST /v1/bytes HTTP/1.1\r\n@Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc\r\n",
                "POST /v1/bytes HTTP/1.0\r\n@Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "GET /v1/items/a HTTP/1.1\r\n@X: a\r\n folded\r\n\r\n",
                "GET /v1/items/a HTTP/1.1\r\n@NoColon\r\n\r\n",
                "GET /v1/items/a HTTP/1.1\r\n@X\u0000Y: a\r\n\r\n",
                "GET /v1/items/a HTTP/1.1\r\n@Host: localhost\r\n\r\n",
                "GET /v1/items/a HTTP/1.1\r\nAccept: */*\r\n\r\n",
                "GET /v1/items/a HTTP/9.9\r\n@\r\n",
                "GET /v1/items/a\r\n\r\n",
                "GET /v1/items/%zz HTTP/1.1\r\n@\r\n",
                "GET /v1/items/a\u0001b HTTP/1.1\r\n@\r\n",
                "GET /../../etc/passwd HTTP/1.1\r\n@\r\n",
                "G\u0000T /v1/items/a HTTP/1.1\r\n@\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
                "GET /v1/items/a HTTP/1.1\r\n@Expect: a-pony\r\n\r\n",
            })
    void isRefusedAndTheConnectionEnds(String text) throws IOException {
        String request = text.replace("@", door.goodHeaders() + "Content-Type: application/octet-stream\r\n");
        String hidden = "GET /v1/items/hidden HTTP/1.1\r\n" + door.goodHeaders() + "\r\n";
        for (boolean unix : new boolean[] {false, true}) {
            try (RawConnection raw = unix ? door.unix() : door.tcp()) {
                raw.send(request + hidden);
                RawConnection.Answer answer = raw.readAnswer();
                assertThat(answer.status()).as(text).isBetween(400, 505);
                assertThat(answer.problem().code()).as(text).isEqualTo("malformed_request");
                assertThat(answer.headers()).containsEntry("content-type", "application/json");
                assertThat(raw.isClosedByPeer()).as("closed, nothing served after: " + text).isTrue();
            }
        }
    }

    @Test
    void aHeadThatIsTooLargeIsRefused() throws IOException {
        try (RawConnection raw = door.tcp()) {
            raw.send("GET /v1/items/a HTTP/1.1\r\n" + door.goodHeaders() + "X: " + "x".repeat(70_000) + "\r\n\r\n");
            RawConnection.Answer answer = raw.readAnswer();
            assertThat(answer.status()).isEqualTo(431);
            assertThat(answer.problem().code()).isEqualTo("too_large");
        }
        try (RawConnection raw = door.tcp()) {
            raw.send("GET /v1/items/" + "x".repeat(70_000) + " HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            RawConnection.Answer answer = raw.readAnswer();
            assertThat(answer.status()).isEqualTo(414);
            assertThat(answer.problem().code()).isEqualTo("too_large");
        }
    }

    @Test
    void twoPathsOfFullLengthStillFit() throws IOException {
        try (RawConnection raw = door.tcp()) {
            String path = "%2F" + "%61".repeat(4095);
            raw.send("GET /v1/items/a?text=" + path + path + " HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            assertThat(raw.readHead().status()).isEqualTo(204);
        }
    }

    @Test
    void aBodyThatBreaksOffIsAnError() throws IOException {
        try (RawConnection raw = door.tcp()) {
            raw.send("POST /v1/bytes HTTP/1.1\r\n" + door.goodHeaders()
                    + "Content-Type: application/octet-stream\r\nContent-Length: 100\r\n\r\nonly this");
            raw.endOutput();
            RawConnection.Answer answer = raw.readAnswer();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.problem().code()).isEqualTo("malformed_request");
        }
    }

    @Test
    void pipelinedRequestsAreServedInOrder() throws IOException {
        String request = "GET /v1/items/a HTTP/1.1\r\n" + door.goodHeaders() + "\r\n";
        try (RawConnection raw = door.tcp()) {
            raw.send(request.repeat(50));
            for (int i = 0; i < 50; i++) {
                assertThat(raw.readHead().status()).isEqualTo(204);
            }
        }
    }
}
