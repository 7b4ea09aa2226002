package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request that is sent again takes no second snapshot and makes no other copies. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class KeyedSnapshotTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String key = UUID.randomUUID().toString();
    private final Map<String, String> mark = Map.of("key", key);
    private final CreateSnapshot request = new CreateSnapshot(null, null, mark, true, null);
    private final ForkSandbox copies = new ForkSandbox(2, null, null, null, null, mark, null, true);
    private TestSandbox source;

    @BeforeEach
    void createTheSource() {
        source = daemon.api().create(SandboxRequest.on("container").memoryMb(128));
        source.output("echo before > /workspace/file");
    }

    @AfterEach
    void takeAwayWhatWasMade() throws IOException, InterruptedException {
        daemon.revive();
        taken().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
        made().forEach(copy -> daemon.api().destroy(copy.id()));
        daemon.api().destroy(source.id());
    }

    @Test
    void manyAtOnceTakeOne() {
        Callable<String> capture = () -> capture(request).id();
        List<String> ids = AtOnce.all(Collections.nCopies(4, capture));
        assertThat(ids).hasSize(4).containsOnly(taken().getFirst().id());
        assertThat(taken()).hasSize(1);
    }

    @Test
    void manyAtOnceForkOnce() {
        Callable<List<String>> fork = () -> ids(fork(source.path(), copies));
        List<List<String>> all = AtOnce.all(Collections.nCopies(3, fork));
        assertThat(all).hasSize(3).containsOnly(all.getFirst());
        assertThat(made()).extracting(Sandbox::id).containsExactlyInAnyOrderElementsOf(all.getFirst());
    }

    @Test
    void aSnapshotIsRememberedAcrossACrashAndBeyondTheEndOfItAndItsSource() throws IOException, InterruptedException {
        Snapshot first = capture(request);
        daemon.kill();
        daemon.start();
        assertThat(capture(request)).isEqualTo(first);
        daemon.api().deleteSnapshot(first.id());
        daemon.api().destroy(source.id());
        assertThat(capture(request).id()).isEqualTo(first.id());
        assertThat(capture(request).state()).isEqualTo("deleted");
        assertThat(taken()).isEmpty();
    }

    @Test
    void copiesAreRememberedAcrossACrashAndBeyondTheirEnd() throws IOException, InterruptedException {
        String snapshot = daemon.api().capture(source.id(), null).id();
        String path = "/v1/snapshots/" + snapshot;
        List<String> first = ids(fork(path, copies));
        daemon.api().deleteSnapshot(snapshot);
        daemon.kill();
        daemon.start();
        assertThat(ids(fork(path, copies))).isEqualTo(first);
        daemon.api().destroy(first.getFirst());
        Forked again = fork(path, copies);
        assertThat(ids(again)).isEqualTo(first);
        assertThat(again.sandboxes()).extracting(Sandbox::state).containsExactly("destroyed", "running");
        assertThat(made()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SNAPSHOT_RECORDED", "SNAPSHOT_TAKEN", "SNAPSHOT_READY"})
    void aSnapshotThatACrashCutOffIsTakenOnce(String step) throws IOException, InterruptedException {
        daemon.mortalAt(step);
        assertThatThrownBy(() -> capture(request)).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        List<Snapshot> whole = taken();
        assertThat(whole).hasSize(step.equals("SNAPSHOT_READY") ? 1 : 0);
        Snapshot second = capture(request);
        assertThat(second.state()).isEqualTo("ready");
        assertThat(taken()).as("the one that was there, or the one that is made now").containsExactly(second).containsAll(whole);
    }

    /** It is one line in the ledger. */
    @Test
    void oneForWhichNothingIsMadeIsTakenOnceToo() throws IOException, InterruptedException {
        Snapshot before = daemon.api().capture(source.id(), null);
        daemon.mortalAt("SNAPSHOT_READY");
        assertThatThrownBy(() -> capture(request)).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        List<Snapshot> whole = taken();
        assertThat(whole).hasSize(1);
        assertThat(capture(request)).isEqualTo(whole.getFirst());
        assertThat(taken()).isEqualTo(whole);
        daemon.api().deleteSnapshot(before.id());
    }

    @ParameterizedTest
    @ValueSource(strings = {"CREATE_ANSWERED", "FORK_MADE", "FORK_CONFIRMED"})
    void aForkThatACrashCutOffIsDoneOnce(String step) throws IOException, InterruptedException {
        daemon.mortalAt(step);
        assertThatThrownBy(() -> fork(source.path(), copies)).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        List<String> whole = made().stream().map(Sandbox::id).toList();
        assertThat(whole).hasSize(step.equals("FORK_CONFIRMED") ? 2 : 0);
        List<String> second = ids(fork(source.path(), copies));
        assertThat(made()).as("those that were there, or those that are made now").extracting(Sandbox::id).containsExactlyInAnyOrderElementsOf(second).containsAll(whole);
    }

    @Test
    void whatFailedMayBeSentAgain() throws IOException, InterruptedException {
        daemon.failingAt("SNAPSHOT_READY");
        refused(ErrorCode.INTERNAL, () -> capture(request));
        assertThat(taken()).isEmpty();
        assertThat(capture(request).state()).as("it had been written, and was taken back").isEqualTo("ready");
        ForkSandbox named = new ForkSandbox(2, "wanted-once", null, null, null, mark, null, true);
        String other = key + "-fork";
        try (TestSandbox _ = daemon.api().create(SandboxRequest.on("container").name("wanted-once-2"))) {
            refused(ErrorCode.NAME_TAKEN, () -> fork(source.path(), named, other));
        }
        assertThat(fork(source.path(), named, other).sandboxes()).extracting(Sandbox::name).containsExactly("wanted-once-1", "wanted-once-2");
    }

    @Test
    void anotherRequestWithTheKeyIsRefusedWhateverItIs() {
        capture(request);
        refused(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> capture(new CreateSnapshot(null, "another", mark, true, null)));
        refused(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> fork(source.path(), copies));
        refused(
                ErrorCode.IDEMPOTENCY_KEY_REUSED,
                () -> daemon.caller().post("/v1/sandboxes", SandboxRequest.on("container").labels(mark).toWire(), Map.of("Idempotency-Key", key)));
        try (TestSandbox another = daemon.api().create(SandboxRequest.on("container").memoryMb(128))) {
            refused(
                    ErrorCode.IDEMPOTENCY_KEY_REUSED,
                    () -> daemon.caller().post(another.path() + "/snapshots", request, Map.of("Idempotency-Key", key)));
        }
        assertThat(taken()).hasSize(1);
        assertThat(made()).isEmpty();
    }

    private Snapshot capture(CreateSnapshot body) {
        return daemon.caller().post(source.path() + "/snapshots", body, Map.of("Idempotency-Key", key)).as(Snapshot.class);
    }

    private Forked fork(String path, ForkSandbox body) {
        return fork(path, body, key);
    }

    private Forked fork(String path, ForkSandbox body, String with) {
        return daemon.caller().post(path + "/fork", body, Map.of("Idempotency-Key", with)).as(Forked.class);
    }

    private static List<String> ids(Forked forked) {
        return forked.sandboxes().stream().map(Sandbox::id).toList();
    }

    private List<Snapshot> taken() {
        return daemon.api().snapshots().stream().filter(snapshot -> key.equals(snapshot.labels().get("key"))).toList();
    }

    private List<Sandbox> made() {
        return daemon.api().list().stream().filter(sandbox -> key.equals(sandbox.labels().get("key"))).toList();
    }
}
