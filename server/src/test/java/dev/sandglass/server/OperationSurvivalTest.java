package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whoever was told of an operation finds it again, whatever becomes of the daemon. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class OperationSurvivalTest {
    private static final int TRIES = 10;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String label = UUID.randomUUID().toString();

    @AfterEach
    void destroyWhatWasMade() throws IOException, InterruptedException {
        daemon.revive();
        made().forEach(sandbox -> daemon.api().destroy(sandbox.id()));
    }

    @Test
    void oneThatHasEndedIsThereAfterACrash() throws IOException, InterruptedException {
        String id = begin().id();
        OperationStatus ended = daemon.caller().post("/v1/operations/" + id + "/wait").as(OperationStatus.class);
        assertThat(ended.state()).isEqualTo("succeeded");
        daemon.kill();
        daemon.start();
        assertThat(get(id)).isEqualTo(ended);
        assertThat(daemon.caller().post("/v1/operations/" + id + "/wait").as(OperationStatus.class)).isEqualTo(ended);
    }

    @Test
    void oneThatWasCutOffSaysSo() throws IOException, InterruptedException {
        OperationStatus cutOff = get(cutOffAt("CREATE_STARTED"));
        assertThat(cutOff.state()).isEqualTo("failed");
        assertThat(cutOff.endedAt()).isNotNull();
        assertThat(Objects.requireNonNull(cutOff.error()).code()).isEqualTo("operation_interrupted");
        assertThat(Objects.requireNonNull(cutOff.error()).hint()).contains("again");
        assertThat(made()).isEmpty();
    }

    @Test
    void oneThatHadDoneItsWorkHasSucceeded() throws IOException, InterruptedException {
        OperationStatus done = get(cutOffAt("CREATE_RUNNING"));
        assertThat(done.state()).isEqualTo("succeeded");
        assertThat(made()).extracting(Sandbox::id).contains(Objects.requireNonNull(done.sandbox()).id());
    }

    @Test
    void oneWhoseSandboxEndedBeforeTheNextDaemonCameHasSucceeded() throws IOException, InterruptedException {
        OperationStatus done = get(cutOffAt("CREATE_RUNNING", this::killWhatRuns));
        assertThat(done.state()).isEqualTo("succeeded");
        assertThat(Objects.requireNonNull(done.sandbox()).state()).isEqualTo("failed");
        assertThat(made()).extracting(Sandbox::id).contains(Objects.requireNonNull(done.sandbox()).id());
    }

    private void killWhatRuns() throws IOException {
        for (long pid : LedgerFile.numbers(daemon, "SELECT pid FROM sandbox WHERE state = 'running' AND details LIKE '%" + label + "%'")) {
            Processes.kill(pid);
        }
    }

    private interface Meanwhile {
        void happens() throws IOException;
    }

    private String cutOffAt(String failpoint) throws IOException, InterruptedException {
        return cutOffAt(failpoint, () -> {});
    }

    /** The id of an operation during which the daemon was killed; it may die before it answers, then nobody was told of any. */
    private String cutOffAt(String failpoint, Meanwhile meanwhile) throws IOException, InterruptedException {
        for (int i = 0; i < TRIES; i++) {
            daemon.mortalAt(failpoint);
            Optional<String> told = told();
            assertThat(daemon.awaitEnd()).isEqualTo(137);
            meanwhile.happens();
            daemon.revive();
            if (told.isPresent()) {
                return told.get();
            }
        }
        throw new AssertionError("the daemon died before it answered, " + TRIES + " times");
    }

    private Optional<String> told() {
        try {
            return Optional.of(begin().id());
        } catch (UncheckedIOException diedBefore) {
            return Optional.empty();
        }
    }

    private OperationStatus begin() {
        return daemon.caller()
                .post("/v1/sandboxes?wait=false", SandboxRequest.on("container").memoryMb(128).env(Map.of("KEPT", label)).labels(Map.of("label", label)).toWire())
                .as(OperationStatus.class);
    }

    private OperationStatus get(String id) {
        return daemon.caller().get("/v1/operations/" + id).as(OperationStatus.class);
    }

    private List<Sandbox> made() {
        return daemon.api().list().stream().filter(sandbox -> label.equals(sandbox.labels().get("label"))).toList();
    }
}
