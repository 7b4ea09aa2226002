package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Health;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.Signal;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** JSON bodies are bounded, of the right type, and hold what the description says and nothing else. */
class JsonRequestTest {
    private Door door;

    @BeforeEach
    void open() throws IOException {
        door = Door.open(Map.of("signal", exchange -> exchange.answer(201, new Health(exchange.json(Signal.class).signal()))));
    }

    @AfterEach
    void close() throws IOException {
        door.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\""})
    void aGoodBodyIsRead(String type) throws IOException, InterruptedException {
        HttpResponse<String> answer = door.post("/v1/signal", type, "{\"signal\": \"TERM\"}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        assertThat(answer.body()).isEqualTo("{\"status\":\"TERM\"}");
        assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "{\"signal\":\"A\",\"sginal\":\"B\"} ~ invalid_request ~ sginal is not a known field",
                "{} ~ invalid_request ~ signal is missing",
                "{\"signal\":null} ~ invalid_request ~ signal: null (expected: string)",
                "{\"signal\":15} ~ invalid_request ~ signal: 15 (expected: string)",
                "{\"signal\":\"12345678901234567\"} ~ invalid_request ~ at most 16 characters",
                "[] ~ invalid_request ~ The body",
                "null ~ invalid_request ~ The body",
                "15 ~ invalid_request ~ The body",
                "{\"signal\":\"A\"} {} ~ malformed_request ~ something follows",
                "{\"signal\":\"A\" ~ malformed_request ~ JSON",
                "{signal:1} ~ malformed_request ~ JSON",
                "hello ~ malformed_request ~ JSON",
            })
    void aBadBodyIsRefused(String body, String code, String says) throws IOException, InterruptedException {
        Problem problem = refused(door.post("/v1/signal", "application/json", body), 400);
        assertThat(problem.code()).isEqualTo(code);
        assertThat(problem.message()).contains(says);
    }

    @Test
    void anEmptyBodyIsRefused() throws IOException, InterruptedException {
        assertThat(refused(door.post("/v1/signal", "application/json", ""), 400).code()).isEqualTo("malformed_request");
    }

    @Test
    void deepNestingDoesNotReachTheParser() throws IOException, InterruptedException {
        Problem problem = refused(door.post("/v1/signal", "application/json", "[".repeat(500_000)), 400);
        assertThat(problem.message()).contains("nested deeper");
    }

    @Test
    void moreThanAMebibyteIsTooLargeWithAndWithoutALength() throws IOException, InterruptedException {
        String large = "{\"signal\":\"" + "x".repeat(1 << 20) + "\"}";
        assertThat(refused(door.post("/v1/signal", "application/json", large), 413).code()).isEqualTo("too_large");
        try (RawConnection raw = door.tcp()) {
            raw.send("POST /v1/signal HTTP/1.1\r\n" + door.goodHeaders() + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
            raw.send("100001\r\n" + large.substring(0, 0x100001) + "\r\n");
            assertThat(raw.readAnswer().problem().code()).isEqualTo("too_large");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "application/json2", "application/json; charset=latin1", "*/*"})
    void anotherTypeIsRefused(String type) throws IOException, InterruptedException {
        assertThat(refused(door.post("/v1/signal", type, "{\"signal\":\"A\"}"), 415).code()).isEqualTo("unsupported_media_type");
    }

    @Test
    void noTypeAndACompressedBodyAreRefused() throws IOException {
        String line = "POST /v1/signal HTTP/1.1\r\n" + door.goodHeaders() + "Content-Length: 0\r\n";
        try (RawConnection raw = door.tcp()) {
            assertThat(raw.send(line + "\r\n").readAnswer().status()).isEqualTo(415);
            raw.send(line + "Content-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n");
            assertThat(raw.readAnswer().status()).isEqualTo(415);
        }
    }

    private static Problem refused(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return Json.read(Problem.class, answer.body().getBytes(StandardCharsets.UTF_8));
    }
}
