package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.server.api.Contract;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The validator sees every way in which a value can break the description. */
class SchemaTest {
    private final Contract contract = Contract.ofApi();

    @Test
    void aGoodRequestHasNoComplaints() {
        assertThat(complaints("CreateSandbox", Map.of("name", "a.b_c-1", "memory_mb", 64L, "cpus", 0.5, "env", Map.of("A", "b")))).isEmpty();
        assertThat(complaints("StartCommand", Map.of("argv", List.of("ls"), "pty", Map.of("cols", 80L, "rows", 24L)))).isEmpty();
    }

    @Test
    void everyKeywordBites() {
        assertThat(complaints("CreateSandbox", Map.of("name", "-x"))).singleElement().asString().contains("name: -x (expected: ^[A-Za-z0-9]");
        assertThat(complaints("CreateSandbox", Map.of("memory_mb", -1L))).containsExactly("memory_mb: -1 (expected: >= 64)");
        assertThat(complaints("CreateSandbox", Map.of("cpus", 5000L))).containsExactly("cpus: 5000 (expected: <= 4096)");
        assertThat(complaints("CreateSandbox", Map.of("memory_mb", 64.5))).containsExactly("memory_mb: 64.5 (expected: integer)");
        assertThat(complaints("CreateSandbox", Map.of("runtime", "docker"))).singleElement().asString().contains("one of [auto");
        assertThat(complaints("CreateSandbox", Map.of("env", Map.of("A", 1L)))).containsExactly("env.A: 1 (expected: string)");
        assertThat(complaints("CreateSandbox", Map.of("memory", 64L))).singleElement().asString().contains("memory is not a known field");
        assertThat(complaints("StartCommand", Map.of())).containsExactly("argv is missing");
        assertThat(complaints("StartCommand", Map.of("argv", List.of()))).containsExactly("argv: 0 items (expected: at least 1)");
        assertThat(complaints("StartCommand", Map.of("argv", List.of("a", 2L)))).containsExactly("argv[1]: 2 (expected: string)");
        assertThat(complaints("StartCommand", Map.of("argv", List.of("a"), "pty", Map.of("cols", 0L))))
                .containsExactlyInAnyOrder("pty.rows is missing", "pty.cols: 0 (expected: >= 1)");
        assertThat(complaints("StartCommand", Map.of("argv", List.of("a"), "user", ""))).singleElement().asString().contains("at least 1");
        assertThat(complaints("Health", Map.of("status", "bad"))).containsExactly("status: bad (expected: ok)");
        assertThat(complaints("ExtendedAttributes", Map.of("xattrs", Map.of("user.a", "?")))).singleElement().asString().contains("base64");
        assertThat(complaints("Exit", Map.of("code", 0L, "ended_at", "yesterday"))).singleElement().asString().contains("a time like");
    }

    @Test
    void aMessageShowsNoControlCharactersAndNoNovel() {
        String hostile = "\u001b[31m\u202e" + "x".repeat(10_000);
        assertThat(complaints("CreateSandbox", Map.of("name", hostile))).singleElement().asString().hasSizeLessThan(200).doesNotContain("\u001b", "\u202e");
    }

    @Test
    void anUnknownKeywordIsAMistakeOfTheDescription() {
        assertThatThrownBy(() -> new Schema(Map.of("minimun", 1), reference -> Map.of())).hasMessageContaining("minimun");
    }

    private List<String> complaints(String schema, Object value) {
        return contract.schema(schema).complaints("", value);
    }
}
