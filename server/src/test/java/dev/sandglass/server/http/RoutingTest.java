package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.server.api.Contract;
import dev.sandglass.wire.Health;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
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

/** A request reaches its operation by its raw path, with exactly the parameters that the operation takes. */
class RoutingTest {
    private Door door;

    @BeforeEach
    void open() throws IOException {
        door = Door.open(Map.of("getItem", exchange -> {
            Query query = exchange.query();
            exchange.answer(
                    200,
                    new Health(exchange.segment("item") + "|" + query.number("count") + "|" + query.flag("deep") + "|"
                            + query.optionalText("text")));
        }));
    }

    @AfterEach
    void close() throws IOException {
        door.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/items/a, a|OptionalLong[3]|false|Optional.empty",
        "/v1/items/a%2Fb, a/b|OptionalLong[3]|false|Optional.empty",
        "/v1/items/%2e%2e, ..|OptionalLong[3]|false|Optional.empty",
        "/v1/items/a+b;c=d, a+b;c=d|OptionalLong[3]|false|Optional.empty",
        "/v1/items/%C3%A4%25, ä%|OptionalLong[3]|false|Optional.empty",
        "/v1/items/a?count=7&deep=true, a|OptionalLong[7]|true|Optional.empty",
        "/v1/items/a?text=x+y%2Bz%26=, a|OptionalLong[3]|false|Optional[x y+z&=]",
        "/v1/items/a?text=, a|OptionalLong[3]|false|Optional[]",
    })
    void partsAreDecodedOnce(String target, String expected) throws IOException, InterruptedException {
        HttpResponse<String> answer = door.get(target);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(Json.read(Health.class, answer.body().getBytes(StandardCharsets.UTF_8)).status()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/v1", "/v1/items", "/v1/items/a/", "/v1//items/a", "//v1/items/a", "/v1/items/a/b", "/V1/items/a", "/v1%2Fitems/a"})
    void whatIsNotDescribedIsNotFound(String path) throws IOException {
        try (RawConnection raw = door.tcp()) {
            RawConnection.Answer answer = raw.send("GET " + path + " HTTP/1.1\r\n" + door.goodHeaders() + "\r\n").readAnswer();
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.problem().code()).isEqualTo("route_not_found");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "OPTIONS", "HEAD", "TRACE", "PATCH", "BREW"})
    void anotherMethodIsToldWhichAreTaken(String method) throws IOException {
        try (RawConnection raw = door.tcp()) {
            RawConnection.Answer answer = raw.send(method + " /v1/items/a HTTP/1.1\r\n" + door.goodHeaders() + "\r\n").readHead();
            assertThat(answer.status()).isEqualTo(405);
            assertThat(answer.headers()).containsEntry("allow", "DELETE, GET");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/items/a?cuont=7, cuont",
        "/v1/items/a?count=7&count=8, count",
        "/v1/items/a?count=11, count: 11 (expected: <= 10)",
        "/v1/items/a?count=-1, count: -1 (expected: >= 0)",
        "/v1/items/a?count=x, count: x (expected: integer)",
        "/v1/items/a?count=, count:  (expected: integer)",
        "/v1/items/a?count=99999999999999999999, count",
        "/v1/items/a?deep=yes, deep: yes (expected: boolean)",
        "/v1/items/a?&, Unknown query parameter",
        "/v1/items/123456789012345678901, item",
    })
    void parametersAreHeldToTheDescription(String target, String says) throws IOException, InterruptedException {
        HttpResponse<String> answer = door.get(target);
        assertThat(answer.statusCode()).isEqualTo(400);
        Problem problem = Json.read(Problem.class, answer.body().getBytes(StandardCharsets.UTF_8));
        assertThat(problem.code()).isEqualTo("invalid_request");
        assertThat(problem.message()).contains(says);
    }

    @Test
    void textThatIsNotUtf8OrHoldsNulIsMalformed() throws IOException, InterruptedException {
        for (String target : new String[] {"/v1/items/a?text=%ff", "/v1/items/a?text=%00", "/v1/items/a?%ff=1"}) {
            HttpResponse<String> answer = door.get(target);
            assertThat(answer.statusCode()).as(target).isEqualTo(400);
            assertThat(answer.body()).contains("malformed_request");
        }
    }

    @Test
    void aRequiredParameterIsMissed() throws IOException {
        try (RawConnection raw = door.tcp()) {
            raw.send("DELETE /v1/items/a HTTP/1.1\r\n" + door.goodHeaders() + "\r\n");
            assertThat(raw.readAnswer().problem().message()).contains("path is missing");
        }
    }

    @Test
    void anOperationWithoutAHandlerAndAHandlerWithoutAnOperationAreMistakes() {
        Contract contract = Contract.parse(Door.YAML);
        assertThatThrownBy(() -> new Router(contract.operations(), Map.of())).hasMessageContaining("expected: one handler");
        assertThatThrownBy(() -> new Router(java.util.List.of(), Map.of("nobody", Exchange::answerNothing))).hasMessageContaining("nobody");
    }
}
