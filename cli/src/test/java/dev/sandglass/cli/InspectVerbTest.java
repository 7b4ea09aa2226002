package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.MountedVolume;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.Sandbox;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class InspectVerbTest extends VerbFixture {
    /** How a value of each field is shown to people. */
    private static final Map<String, String> SHOWN = Map.ofEntries(
            Map.entry("id", "id +sbx-aaaaaaaaaaaa"),
            Map.entry("name", "name +otter"),
            Map.entry("state", "state +failed"),
            Map.entry("reason", "reason +oom"),
            Map.entry("runtime", "runtime +gvisor"),
            Map.entry("security", "security +strict"),
            Map.entry("capabilities", "capabilities +CHOWN NET_RAW"),
            Map.entry("memoryMb", "memory +2 GB"),
            Map.entry("cpus", "cpus +1.5"),
            Map.entry("diskMb", "disk +5 GB"),
            Map.entry("maxProcesses", "processes +77"),
            Map.entry("timeout", "timeout +90m, at "),
            Map.entry("timeoutAt", "timeout .*at 2030-01-01T00:00:00Z \\(in [0-9]+d\\)"),
            Map.entry("onTimeout", "on timeout +pause"),
            Map.entry("ttl", "ttl +61s, at "),
            Map.entry("ttlAt", "ttl .*at 2032-01-01T00:00:00Z"),
            Map.entry("hardTtl", "hard ttl +2d, at "),
            Map.entry("hardTtlAt", "hard ttl .*at 2031-01-01T00:00:00Z"),
            Map.entry("autoResume", "auto resume +yes"),
            Map.entry("checkpointEvery", "checkpoints +every 10m, at "),
            Map.entry("checkpointAt", "checkpoints .*at 2033-01-01T00:00:00Z"),
            Map.entry("keepCheckpoints", "checkpoints .*the last 3 are kept"),
            Map.entry("restart", "restart +from-checkpoint"),
            Map.entry("env", "env +Z=1\nenv +A=2\nenv +M=3"),
            Map.entry("labels", "label +team=red"),
            Map.entry("network", "network +allow api.example.org:443\\nnetwork +otherwise deny"),
            Map.entry("credentials", "credential +key-a\\ncredential +key-b +3 of 10 requests, 500 of 1000 tokens"),
            Map.entry("image", "image +debian-12"),
            Map.entry("snapshot", "snapshot +snap-bbbbbbbbbbbb"),
            Map.entry("createdAt", "created +2026-01-01T00:00:00Z"),
            Map.entry("startedAt", "started +2026-01-02T00:00:00Z"),
            Map.entry("pid", "pid +4711"),
            Map.entry("warnings", "warning +only 2 CPUs here"),
            Map.entry("volumes", "volume +notes:/notes:ro"),
            Map.entry("user", "user +dev"),
            Map.entry("workdir", "workdir +/srv"));

    @Test
    void everyFieldIsShown() {
        Map<String, String> env = new LinkedHashMap<>();
        env.put("Z", "1");
        env.put("A", "2");
        env.put("M", "3");
        Sandbox sandbox = new Sandbox("sbx-aaaaaaaaaaaa", "otter", "failed", "oom", "gvisor", "strict", List.of("CHOWN", "NET_RAW"), 2048, 1.5, 5120, 77,
                5400L, Instant.parse("2030-01-01T00:00:00Z"), "pause", 61L, Instant.parse("2032-01-01T00:00:00Z"), 172_800L, Instant.parse("2031-01-01T00:00:00Z"), true, 600L, Instant.parse("2033-01-01T00:00:00Z"), 3,
                "from-checkpoint", env, Map.of("team", "red"), new NetworkPolicy(null, List.of("allow api.example.org:443"), "deny"), List.of("key-a", "key-b"), "debian-12", "snap-bbbbbbbbbbbb", Instant.parse("2026-01-01T00:00:00Z"),
                Instant.parse("2026-01-02T00:00:00Z"), 4711L, List.of("only 2 CPUs here"), List.of(new MountedVolume("vol-cccccccccccc", "notes", "/notes", "ro")), "dev", "/srv");
        daemon.on("GET /v1/sandboxes/otter", 200, Json.write(sandbox));
        daemon.on("GET /v1/credential-usage?sandbox=sbx-aaaaaaaaaaaa", 200, "{\"usage\":[{\"sandbox\":\"sbx-aaaaaaaaaaaa\",\"name\":\"otter\",\"credential\":\"key-b\",\"requests\":3,\"max_requests\":10,\"tokens\":500,\"max_tokens\":1000}]}");
        assertThat(console.run("inspect", "otter", "-o", "table")).isZero();
        for (RecordComponent field : Sandbox.class.getRecordComponents()) {
            assertThat(SHOWN).as("a field that people do not see").containsKey(field.getName());
            assertThat(console.out).containsPattern("(?m)^" + SHOWN.get(field.getName()));
        }
    }

    @Test
    void whatIsNeverIsSaidToo() {
        daemon.on("GET /v1/sandboxes/box", 200, VerbsTest.SANDBOX);
        assertThat(console.run("inspect", "box", "-o", "table")).isZero();
        assertThat(console.out).contains("timeout       never\n", "hard ttl      never\n", "checkpoints   never\n", "auto resume   no\n", "capabilities  none\n");
    }
}
