package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.client.Target;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TimeTravelTest extends VerbFixture {
    static final String STATUS = "{\"version\":\"1\",\"pid\":1,\"address\":\"a\",\"socket\":\"s\",\"data_dir\":\"d\",\"started_at\":\"2026-01-01T00:00:00Z\","
            + "\"default_runtime\":\"container\",\"runtimes\":[%s],\"pool\":{\"kind\":\"copy\",\"free_bytes\":1},\"sandboxes\":{}}";
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void aRuntimeThatIsNotThereIsToldOf() {
        daemon.on("GET /v1/status", 200, STATUS.formatted(""));
        show();
        assertThat(printed()).contains("which does not work here: the daemon does not know it");
        daemon.on("GET /v1/status", 200, STATUS.formatted("{\"name\":\"gvisor\",\"available\":false,\"reason\":\"no runsc\"}"));
        show();
        assertThat(printed()).contains("which does not work here: no runsc");
        assertThat(daemon.asked).noneMatch(request -> request.startsWith("POST"));
    }

    @Test
    void nothingIsLeftOfOneThatBreaksOffAfterItsCapture() {
        String ran = "{\"exit\":{\"code\":0,\"user_ms\":0,\"system_ms\":0,\"max_rss_kb\":0},\"stdout\":\"7\\n\",\"stderr\":\"\",\"stdout_truncated\":false,\"stderr_truncated\":false}";
        daemon.on("GET /v1/status", 200, STATUS.formatted("{\"name\":\"gvisor\",\"available\":true}"))
                .on("POST /v1/sandboxes", 201, VerbsTest.SANDBOX)
                .on("POST /v1/sandboxes/demo-x-origin/commands", 201,
                        "{\"id\":\"cmd-1\",\"argv\":[\"x\"],\"pty\":false,\"state\":\"running\",\"pid\":5,\"started_at\":\"2026-01-01T00:00:00Z\"}")
                .on("POST /v1/sandboxes/demo-x-origin/commands/run", 200, ran)
                .on("POST /v1/sandboxes/demo-x-origin/snapshots", 201, SnapshotVerbsTest.SNAPSHOT)
                .on("POST /v1/snapshots/snap-aaaaaaaaaaaa/fork", 507, "{\"code\":\"disk_full\",\"message\":\"full\",\"hint\":\"\"}")
                .on("DELETE /v1/", 204, "");
        assertThat(catchThrowable(this::show)).hasMessage("full");
        assertThat(printed()).contains("it stood still for 41.2 ms");
        assertThat(daemon.asked).contains("DELETE /v1/snapshots/demo-x", "DELETE /v1/sandboxes/demo-x-origin", "DELETE /v1/sandboxes/demo-x-copy-3");
    }

    private void show() {
        Console shown = new Console(InputStream.nullInputStream(), out, out, Set.of(), Map.of());
        try (Client client = new Client(Target.find("unix://" + daemon.socket, null, null, Map.of("SANDGLASS_API_KEY", "token")))) {
            new TimeTravel(shown, client, new DemoSteps(shown)).show("demo-x");
        }
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }
}
