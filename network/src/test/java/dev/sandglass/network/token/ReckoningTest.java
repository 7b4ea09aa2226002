package dev.sandglass.network.token;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** What an answer of a model costs is read from it, in whatever pieces it comes, and estimated where it does not say. */
class ReckoningTest {
    private static final String JSON = "application/json; charset=utf-8";
    private static final String EVENTS = "text/event-stream; charset=utf-8";

    /** As Anthropic's Messages answer. */
    private static final String MESSAGE = """
            {"id":"msg_1","type":"message","content":[{"type":"text","text":"say \\"usage\\": {\\"output_tokens\\": 9999}"},{"type":"tool_use","input":{"usage":{"output_tokens":8888}}}],
             "usage":{"input_tokens":100,"cache_creation_input_tokens":20,"cache_read_input_tokens":3,"output_tokens":25,"server_tool_use":{"output_tokens":7777}}}
            """;

    private static final String MESSAGE_EVENTS = """
            event: message_start
            data: {"type":"message_start","message":{"id":"msg_1","content":[],"usage":{"input_tokens":100,"cache_creation_input_tokens":20,"cache_read_input_tokens":3,"output_tokens":1}}}

            event: ping
            data: {"type": "ping"}

            event: content_block_delta
            data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello, world"}}

            event: message_delta
            data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":25}}

            event: message_stop
            data: {"type":"message_stop"}

            """;

    /** As OpenAI's chat completions answer. */
    private static final String COMPLETION = """
            {"choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21,"prompt_tokens_details":{"cached_tokens":4}}}""";

    private static final String COMPLETION_EVENTS = """
            data: {"choices":[{"delta":{"content":"Hello"}}],"usage":null}

            data: {"choices":[{"delta":{"content":", wor"}}],"usage":null}

            data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21}}

            data: [DONE]

            """;

    /** As OpenAI's responses answer. */
    private static final String RESPONSE_EVENTS = """
            event: response.created
            data: {"type":"response.created","response":{"id":"resp_1","usage":null}}

            event: response.output_text.delta
            data: {"type":"response.output_text.delta","delta":"Hello"}

            event: response.completed
            data: {"type":"response.completed","response":{"output":[{"usage":{"total_tokens":9999}}],"usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":10},"output_tokens":11,"total_tokens":41}}}

            """;

    private static Reckoning.Cost cost(String method, int status, String type, String encoding, byte[] body, int piece, long sent) {
        Reckoning reckoning = new Reckoning(method);
        reckoning.begin(status, type, encoding, -1);
        for (int at = 0; at < body.length; at += piece) {
            ByteBuffer part = ByteBuffer.wrap(Arrays.copyOfRange(body, at, Math.min(body.length, at + piece)));
            reckoning.take(part);
            assertThat(part.position()).as("it is left as it is").isZero();
        }
        return reckoning.end(sent);
    }

    private static Reckoning.Cost cost(String type, String body) {
        return cost("POST", 200, type, "", body.getBytes(StandardCharsets.UTF_8), 1 << 20, 400);
    }

    private static void says(long tokens, String type, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        for (int piece = 1; piece <= bytes.length; piece++) {
            assertThat(cost("POST", 200, type, "", bytes, piece, 400)).as("in pieces of %s", piece).isEqualTo(new Reckoning.Cost(tokens, true));
        }
    }

    @Test
    void whatAServiceSaysIsCounted() {
        says(148, JSON, MESSAGE);
        says(148, EVENTS, MESSAGE_EVENTS);
        says(21, JSON, COMPLETION);
        says(21, EVENTS, COMPLETION_EVENTS);
        says(41, EVENTS, RESPONSE_EVENTS);
        says(41, JSON, "{\"usage\":{\"input_tokens\":30,\"output_tokens\":11,\"total_tokens\":41}}");
        says(7, JSON, "{\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}");
    }

    @Test
    void linesMayEndInAnyWay() {
        says(148, EVENTS, MESSAGE_EVENTS.replace("\n", "\r\n"));
        says(148, EVENTS, MESSAGE_EVENTS.replace("\n", "\r"));
        says(148, EVENTS, MESSAGE_EVENTS.replace("data: ", "data:"));
        says(148, EVENTS, MESSAGE_EVENTS.replace("data: {\"type\":\"message_delta\",", "data: {\"type\":\"message_delta\",\ndata: "));
    }

    @Test
    void itMakesNoDifferenceHowItIsPacked() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(MESSAGE_EVENTS.getBytes(StandardCharsets.UTF_8));
        }
        for (int piece : new int[] {1, 7, 1 << 20}) {
            assertThat(cost("POST", 200, EVENTS, "gzip", packed.toByteArray(), piece, 400)).isEqualTo(new Reckoning.Cost(148, true));
        }
        assertThat(cost("POST", 200, EVENTS, "br", packed.toByteArray(), 64, 400)).as("a token for each byte").isEqualTo(new Reckoning.Cost(100 + packed.size(), false));
        byte[] damaged = packed.toByteArray();
        Arrays.fill(damaged, 20, damaged.length, (byte) 0xff);
        assertThat(cost("POST", 200, EVENTS, "gzip", damaged, 64, 400).isSaid()).isFalse();
        assertThat(cost("POST", 200, EVENTS, "gzip", damaged, 64, 400).tokens()).isGreaterThanOrEqualTo(100 + packed.size());
    }

    /** Whoever leaves before the end is told of, or does not ask for it, pays for what was asked and for what came. */
    @Test
    void whatIsNotSaidIsEstimated() {
        String cut = MESSAGE_EVENTS.substring(0, MESSAGE_EVENTS.indexOf("event: message_delta"));
        assertThat(cost(EVENTS, cut)).as("what went in is known, three events came, with 12 bytes of text").isEqualTo(new Reckoning.Cost(123 + 3 + 3, false));
        String silent = COMPLETION_EVENTS.replaceAll("data: \\{\"choices\":\\[\\],.*\n\n", "");
        assertThat(cost(EVENTS, silent)).as("400 bytes were asked, three events came, with 10 bytes of text").isEqualTo(new Reckoning.Cost(100 + 3 + 3, false));
        assertThat(cost(JSON, COMPLETION.substring(0, 40))).as("40 bytes came").isEqualTo(new Reckoning.Cost(100 + 10, false));
        assertThat(cost("audio/mpeg", "x".repeat(80))).isEqualTo(new Reckoning.Cost(100 + 20, false));
        Reckoning announced = new Reckoning("POST");
        announced.begin(200, JSON, "", 4000);
        assertThat(announced.end(0)).as("4000 bytes were on the way").isEqualTo(new Reckoning.Cost(1000, false));
        Reckoning empty = new Reckoning("POST");
        empty.begin(200, EVENTS, "", -1);
        assertThat(empty.end(0)).as("nothing is free").isEqualTo(new Reckoning.Cost(1, false));
    }

    @Test
    void whatAsksForNothingCostsNothing() {
        byte[] models = "{\"data\":[{\"id\":\"model\"}]}".getBytes(StandardCharsets.UTF_8);
        assertThat(cost("GET", 200, JSON, "", models, 8, 0).tokens()).isZero();
        assertThat(cost("POST", 401, JSON, "", "{\"error\":{}}".getBytes(StandardCharsets.UTF_8), 8, 400).tokens()).as("it was refused").isZero();
        assertThat(new Reckoning("POST").end(400)).as("it did not get there").isEqualTo(new Reckoning.Cost(0, true));
    }

    /** A service works on what it has got, whether anybody waits for the answer or not. */
    @Test
    void whatWasAskedAndNeverAnsweredIsNotFree() {
        assertThat(unanswered("POST", 400)).as("400 bytes were asked").isEqualTo(new Reckoning.Cost(100, false));
        assertThat(unanswered("POST", 0)).as("nothing is free").isEqualTo(new Reckoning.Cost(1, false));
        assertThat(unanswered("GET", 0)).as("what only reads").isEqualTo(new Reckoning.Cost(0, true));
    }

    private static Reckoning.Cost unanswered(String method, long sent) {
        Reckoning reckoning = new Reckoning(method);
        reckoning.asked();
        return reckoning.end(sent);
    }

    @Test
    void whatIsNoJsonIsNoCount() {
        for (String odd : new String[] {
            "{\"usage\":[{\"total_tokens\":5}]}", "[{\"usage\":{\"total_tokens\":5}}]", "{\"usage\":{\"total_tokens\":\"5\"}}", "{\"usage\":{\"total_tokens\":true}}",
            "{\"usage\":{\"total_tokens\":" + "9".repeat(40) + "}}", "}}}]]]\"\\", "{\"other\":{\"usage\":{\"total_tokens\":5}}}", "{\"usage\":{\"more\":{\"total_tokens\":5}}}"
        }) {
            assertThat(cost(JSON, odd).isSaid()).as(odd).isFalse();
        }
        says(Long.MAX_VALUE, JSON, "{\"usage\":{\"prompt_tokens\":9e18,\"completion_tokens\":9.2e18}}");
        says(0, JSON, "{\"usage\":{\"total_tokens\":-5}}");
    }
}
