package dev.sandglass.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @Test
    void writesSnakeCaseAndLeavesOutWhatIsAbsent() {
        Sandbox sandbox = new Sandbox(
                "sbx-aaaaaaaaaaaa", "otter", "running", null, "gvisor", "strict", 512, 1.5, 1024, 64, Map.of("A", "b"), Map.of(), "base",
                Instant.parse("2026-01-02T03:04:05.678Z"), null, 17L, List.of());
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
