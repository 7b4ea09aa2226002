package dev.sandglass.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @Test
    void writesSnakeCaseAndLeavesOutWhatIsAbsent() {
        Sandbox sandbox = new Sandbox(
                "sbx-aaaaaaaaaaaa", "otter", "running", null, "gvisor", "strict", List.of("KILL"), 512, 1.5, 1024, 64, null, null, "kill", null, null, null, null, false, null, null, null, "never",
                Map.of("A", "b"), Map.of(), null, List.of(), "base", null,
                Instant.parse("2026-01-02T03:04:05.678Z"), null, 17L, List.of(), List.of(), null, null);
        assertThat(Json.write(sandbox))
                .contains("\"memory_mb\":512", "\"max_processes\":64", "\"created_at\":\"2026-01-02T03:04:05.678Z\"", "\"pid\":17")
                .doesNotContain("reason", "started_at");
        assertThat(Json.read(Sandbox.class, Json.bytes(sandbox))).isEqualTo(sandbox);
    }

    @Test
    void readsWhatANewerServerSends() {
        Health health = Json.read(Health.class, bytes("{\"status\":\"ok\",\"invented_later\":[1,{\"a\":2}]}"));
        assertThat(health.status()).isEqualTo("ok");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "nonsense", "[]", "null", "{\"memory_mb\":\"much\"}", "{\"memory\":1}", "{\"env\":{\"A\":{}}}", "{\"name\":\"x\"", "\u0000"
    })
    void refusesWhatAClientMustNotSend(String json) {
        assertThatThrownBy(() -> Json.readStrict(CreateSandbox.class, bytes(json)))
                .isInstanceOfSatisfying(
                        SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.MALFORMED_REQUEST));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4095, 4096, 32768, 32769, 4 << 20})
    void takesTextsOfAnyLengthBothWays(int length) {
        String text = "x".repeat(Math.max(0, length - 4)) + "\"\\\n\u00e9\ud83d\ude00".substring(0, Math.min(length, 4));
        CommandResult result = new CommandResult(
                new Exit(0, null, null, null, 1, 2, 3, Instant.parse("2026-01-02T03:04:05Z")), text, "", false, false);
        assertThat(Json.read(CommandResult.class, Json.bytes(result))).isEqualTo(result);
        RunCommand run = new RunCommand(List.of("cat"), Map.of("A", text), null, null, text, null, null);
        assertThat(Json.readStrict(RunCommand.class, Json.bytes(run))).isEqualTo(run);
        assertThat(Json.tree(Json.bytes(run))).isEqualTo(Map.of("argv", List.of("cat"), "env", Map.of("A", text), "stdin", text));
    }

    @ParameterizedTest
    @ValueSource(ints = {511, 512, 513, 1023, 1024, 1025, 5000, 100_000})
    void takesTextsOfWhichEveryCharacterIsEscaped(int length) {
        RunCommand run = new RunCommand(List.of("\u0001".repeat(length), "\0".repeat(length)), Map.of("A", "\n".repeat(length)), null, null, "\u0007".repeat(length), null, null);
        assertThat(Json.readStrict(RunCommand.class, Json.bytes(run))).isEqualTo(run);
        assertThat(Json.readStrict(RunCommand.class, Json.write(run).getBytes(StandardCharsets.UTF_8))).isEqualTo(run);
    }

    @Test
    void readsWhatTheStandardAllows() {
        assertThat(Json.tree(bytes(" { \"a\\u0041\\/\" : [ 1 , -0.5e2 , true , false , null , \"\\ud83d\\ude00\" , {} , [] , 1e400 ] } ")))
                .isEqualTo(Map.of("aA/", Arrays.asList(1L, -50L, true, false, null, "\ud83d\ude00", Map.of(), List.of(), Double.POSITIVE_INFINITY)));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", " ", "{", "[", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{a:1}", "01", "1.", ".5", "-", "+1", "1e", "0x1",
        "NaN", "Infinity", "tru", "True", "nul", "'a'", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"a\nb\"", "1 2", "{} {}", "[1] x", "]", "\u00a01", "\u0000"
    })
    void refusesWhatIsNotJson(String json) {
        assertThatThrownBy(() -> Json.tree(bytes(json)))
                .isInstanceOfSatisfying(
                        SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.MALFORMED_REQUEST));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"memory_mb\":1.5}", "{\"memory_mb\":1e99}", "{\"memory_mb\":1e999999999}", "{\"memory_mb\":9223372036854775808}"})
    void refusesNumbersThatDoNotFit(String json) {
        assertThatThrownBy(() -> Json.readStrict(CreateSandbox.class, bytes(json))).isInstanceOf(SandglassException.class);
    }

    @Test
    void bearsDeepNesting() {
        String deep = "{\"env\":" + "[".repeat(100_000);
        assertThatThrownBy(() -> Json.readStrict(CreateSandbox.class, bytes(deep))).isInstanceOf(SandglassException.class);
        String deepUnknown = "{\"invented\":" + "[".repeat(100_000) + "]".repeat(100_000) + ",\"status\":\"ok\"}";
        try {
            assertThat(Json.read(Health.class, bytes(deepUnknown)).status()).isEqualTo("ok");
        } catch (SandglassException refused) {
            assertThat(refused.code()).isEqualTo(ErrorCode.MALFORMED_REQUEST);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
