package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The verbs on snapshots. */
@Timeout(60)
final class SnapshotVerbsTest extends VerbFixture {
    static final String SNAPSHOT = "{\"id\":\"snap-aaaaaaaaaaaa\",\"name\":\"raw1\",\"kind\":\"full\",\"purpose\":\"kept\",\"state\":\"ready\","
            + "\"sandbox_id\":\"sbx-aaaaaaaaaaaa\",\"sandbox_name\":\"brave\",\"runtime\":\"gvisor\",\"image\":\"i\",\"own_bytes\":2048,\"total_bytes\":4096,"
            + "\"memory_bytes\":1048576,\"pause_ms\":41.2345,\"description\":\"\",\"labels\":{},\"created_at\":\"2026-01-01T00:00:00Z\"}";

    @ParameterizedTest
    @ValueSource(strings = {
        "snapshot create box", "snapshot create box --archive", "snapshot verify raw1", "snapshot export raw1", "rewind box raw1", "fork box", "stop box", "rm box"
    })
    void whatTellsThatItTakesAWhileIsErasedBeforeTheResult(String line) {
        daemon.on("POST /v1/sandboxes/box/snapshots", 201, SNAPSHOT)
                .on("POST /v1/snapshots/raw1/verify", 200, SNAPSHOT)
                .on("POST /v1/snapshots/raw1/archive", 201, "{\"path\":\"/f.sgs\",\"bytes\":5}")
                .on("POST /v1/snapshots/snap-aaaaaaaaaaaa/archive", 201, "{\"path\":\"/f.sgs\",\"bytes\":5}")
                .on("POST /v1/sandboxes/box/rewind", 200, VerbsTest.SANDBOX)
                .on("POST /v1/sandboxes/box/stop", 200, VerbsTest.SANDBOX)
                .on("POST /v1/sandboxes/box/fork", 201, "{\"sandboxes\":[" + VerbsTest.SANDBOX + "],\"pause_ms\":12.345}")
                .on("DELETE /v1/sandboxes/box", 204, "")
                .hold(() -> screen().matches("(?s).* \\.\\.\\. [0-9.]+ s"));
        assertThat(console.terminals(1, 2).run(line.split(" "))).as(console.err).isZero();
        assertThat(console.out).isNotEmpty();
        String shown = screen().replace("warning: only 2 CPUs here\n", "");
        assertThat(shown).contains(" ... ").endsWith("\r\u001b[K" + console.out);
    }

    @Test
    void whatEachIsForIsShownWithThoseThatAreKeptForSandboxes() {
        String expires = Instant.now().plusSeconds(7_150).toString();
        String paused = SNAPSHOT.replace("\"kept\"", "\"pause\"").replace("\"name\":\"raw1\",", "").replace("\"labels\":{}", "\"labels\":{},\"expires_at\":\"" + expires + "\"");
        daemon.on("GET /v1/snapshots", 200, "{\"snapshots\":[" + SNAPSHOT + "]}").on("GET /v1/snapshots?all=true", 200, "{\"snapshots\":[" + SNAPSHOT + "," + paused + "]}");
        assertThat(console.run("snapshot", "ls", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("KIND +OF").doesNotContain("PURPOSE", "EXPIRES", "LABELS");
        assertThat(console.run("snapshot", "ls", "--all", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("KIND +PURPOSE +OF").containsPattern("full +kept +brave").containsPattern("full +pause +brave.* in 2h");
    }

    @Test
    void thoseThatFitAreShownWithWhatIsWrongWithThem() {
        String damaged = SNAPSHOT.replace("snap-a", "snap-b").replace("\"name\":\"raw1\",", "").replace("ready", "damaged").replace("{}", "{\"team\":\"blue\"}");
        daemon.on("GET /v1/snapshots", 200, "{\"snapshots\":[" + SNAPSHOT + "," + damaged + "]}");
        for (String condition : new String[] {"label=team", "label=team=blue", "state=damaged"}) {
            assertThat(console.run("snapshot", "ls", "-q", "--filter", condition)).isZero();
            assertThat(console.out).as(condition).isEqualTo("snap-baaaaaaaaaaa\n");
        }
        assertThat(console.run("snapshot", "ls", "-q", "-f", "name=raw", "-f", "runtime=gvisor")).isZero();
        assertThat(console.out).isEqualTo("snap-aaaaaaaaaaaa\n");
        assertThat(console.run("snapshot", "ls", "-f", "colour=red")).isEqualTo(2);
        assertThat(console.run("snapshot", "ls", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("ID +STATE +KIND").containsPattern("snap-baaaaaaaaaaa +damaged +full").containsPattern("snap-aaaaaaaaaaaa +full");
    }

    @Test
    void aForkTellsForHowLongTheSourceStoodStill() {
        daemon.on("POST /v1/sandboxes/box/fork", 201, "{\"sandboxes\":[" + VerbsTest.SANDBOX + "],\"pause_ms\":12.345}");
        assertThat(console.run("fork", "box", "--timeout", "5m", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("bra\\x1bve   sbx-aaaaaaaaaaaa\nbox stood still for 12.3 ms\n");
        assertThat(daemon.asked.getLast()).isEqualTo("POST /v1/sandboxes/box/fork {\"timeout\":300}");
        assertThat(console.run("fork", "box")).isZero();
        assertThat(console.out).startsWith("{\"sandboxes\":[{\"id\":\"sbx-aaaaaaaaaaaa\"").endsWith("],\"pause_ms\":12.345}\n");
        assertThat(console.run("fork", "box", "-q")).isZero();
        assertThat(console.out).isEqualTo("sbx-aaaaaaaaaaaa\n");
    }

    @Test
    void anArchiveIsNamed() {
        daemon.on("POST /v1/sandboxes/box/snapshots", 201, SNAPSHOT)
                .on("POST /v1/snapshots/snap-aaaaaaaaaaaa/archive", 201, "{\"path\":\"/data/raw1.sgs\",\"bytes\":2048}");
        assertThat(console.run("snapshot", "create", "box", "--archive", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("raw1   snap-aaaaaaaaaaaa   full, 2 KB new, brave stood still for 41.2 ms\n/data/raw1.sgs   2 KB\n");
        assertThat(console.run("snapshot", "create", "box", "--archive")).isZero();
        assertThat(console.out).startsWith("{\"archive\":\"/data/raw1.sgs\",\"id\":\"snap-aaaaaaaaaaaa\"");
    }

    private String screen() {
        return console.screen.toString(StandardCharsets.UTF_8);
    }
}
