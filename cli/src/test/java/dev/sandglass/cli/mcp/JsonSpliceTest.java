package dev.sandglass.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A value comes in where it belongs, and every other byte stays. */
class JsonSpliceTest {
    private static final List<String> PATH = List.of("a", "b");

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{} | `{\n  \"a\": {\n    \"b\": 1\n  }\n}`",
        "{ } | `{\n  \"a\": {\n    \"b\": 1\n  }\n}`",
        "{\"x\":[1,{\"a\":2}]} | {\"x\":[1,{\"a\":2}], \"a\": {\"b\": 1}}",
        "{\"a\":{},\"x\":1e-7} | {\"a\":{\"b\": 1},\"x\":1e-7}",
        "{\"a\":{\"c\":null}} | {\"a\":{\"c\":null, \"b\": 1}}",
        "{\"a\":{\"b\":-2.5e3}} | {\"a\":{\"b\":1}}",
        "{\"a\" : { \"b\" : {\"c\":[\"}]\\\"{\"]} , \"d\":true } } | {\"a\" : { \"b\" : 1 , \"d\":true } }",
        "{\"\\u0061\":{\"b\":2}} | {\"\\u0061\":{\"b\":1}}",
        "`{\n\t\"x\": 1\n}` | `{\n\t\"x\": 1,\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}`",
        "`{\r\n    \"a\": {\r\n        \"c\": 1\r\n    }\r\n}` | `{\r\n    \"a\": {\r\n        \"c\": 1,\n        \"b\": 1\r\n    }\r\n}`",
        "`{\n  \"a\": {},\n  \"z\": 1\n}` | `{\n  \"a\": {\n    \"b\": 1\n  },\n  \"z\": 1\n}`"
    })
    void aValueComesIn(String before, String after) {
        assertThat(JsonSplice.put(before, PATH, "1")).isEqualTo(after);
        assertThat(JsonSplice.put(after, PATH, "1")).as("once more").isEqualTo(after);
        assertThat(Json.tree(after.getBytes(StandardCharsets.UTF_8))).isInstanceOfSatisfying(Map.class, whole -> assertThat(whole.get("a")).isInstanceOfSatisfying(Map.class, inner -> assertThat(inner.get("b")).isEqualTo(1L)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "7", "\"a\"", "null", "{\"a\":[]}", "{\"a\":\"b\"}", "{\"a\":null}"})
    void whatIsNoObjectIsRefused(String text) {
        assertThatThrownBy(() -> JsonSplice.put(text, PATH, "1")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void allElseStaysInALargeFile() {
        String begin = "{\n  \"history\": [" + "{\"text\": \"\\u00fc {[\\\\\", \"n\": [1, 2]},\n".repeat(5000) + "{}],\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}";
        String end = "\n  },\n  \"z\": \"好\"\n}\n";
        assertThat(JsonSplice.put(begin + end, List.of("mcpServers", "sandglass"), "{}")).isEqualTo(begin + ",\n    \"sandglass\": {}" + end);
    }
}
