package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.History;
import dev.sandglass.wire.HistoryStep;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotTree;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Snapshots and the sandboxes on them form a tree, which a deleted snapshot does not tear. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class TreeTest {
    private final TestDaemon daemon = SharedDaemon.daemon();

    @Test
    void allThatIsThereHangsTogether() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("container"))) {
            Snapshot first = daemon.api().capture(source.id(), "tree-first");
            Snapshot second = daemon.api().capture(source.id(), null);
            try (TestSandbox copy = daemon.api().create(SandboxRequest.on("container").from(first.id()))) {
                Snapshot third = daemon.api().capture(copy.id(), null);
                daemon.api().deleteSnapshot(first.id());
                SnapshotTree tree = tree();
                assertThat(tree.snapshots())
                        .extracting(Snapshot::id, Snapshot::parent, Snapshot::state)
                        .containsSubsequence(
                                tuple(first.id(), null, "deleted"),
                                tuple(second.id(), first.id(), "ready"),
                                tuple(third.id(), first.id(), "ready"));
                assertThat(tree.sandboxes())
                        .extracting(Sandbox::id, Sandbox::snapshot)
                        .contains(tuple(source.id(), second.id()), tuple(copy.id(), third.id()));
                daemon.api().deleteSnapshot(third.id());
                assertThat(ids(tree())).as("a sandbox holds it together too").contains(first.id(), second.id(), third.id());
            }
            assertThat(ids(tree())).contains(first.id(), second.id());
            daemon.api().deleteSnapshot(second.id());
        }
        assertThat(tree().snapshots()).extracting(Snapshot::state).doesNotContain("deleted");
    }

    @Test
    void aSandboxKnowsHowItCameToBeWhatItIs() {
        History history;
        Snapshot first;
        Snapshot second;
        TestSandbox source = daemon.api().create(SandboxRequest.on("container"));
        first = daemon.api().capture(source.id(), "history-first");
        second = daemon.api().capture(source.id(), null);
        assertThat(steps(history(source.id()))).containsExactly(
                "began " + source.id() + " null", "taken " + source.id() + " " + first.id(), "taken " + source.id() + " " + second.id());
        source.close();
        daemon.api().deleteSnapshot(first.id());
        try (TestSandbox copy = daemon.api().create(SandboxRequest.on("container").from(second.id()))) {
            history = history(copy.name());
            assertThat(history.sandbox().id()).isEqualTo(copy.id());
            assertThat(steps(history)).containsExactly(
                    "began " + source.id() + " null",
                    "taken " + source.id() + " " + first.id(),
                    "taken " + source.id() + " " + second.id(),
                    "began " + copy.id() + " " + second.id());
            assertThat(history.steps()).extracting(HistoryStep::at).doesNotContainNull().isSorted();
        }
        daemon.api().deleteSnapshot(second.id());
        refused(ErrorCode.SANDBOX_NOT_FOUND, () -> history("nobody"));
    }

    @Test
    void aCopyIsKnownToBeOneWhenWhatItWasMadeOfIsGone() {
        TestSandbox source = daemon.api().create(SandboxRequest.on("container"));
        source.output("echo one > /workspace/file");
        ForkSandbox request = new ForkSandbox(1, null, null, null, null, null, null, true);
        Sandbox made = daemon.caller().post(source.path() + "/fork", request).as(Forked.class).sandboxes().getFirst();
        try (TestSandbox copy = new TestSandbox(daemon.caller(), made)) {
            Snapshot first = daemon.api().capture(copy.id(), null);
            Snapshot second = daemon.api().capture(copy.id(), null);
            source.close();
            daemon.api().deleteSnapshot(first.id());
            List<HistoryStep> steps = history(copy.id()).steps();
            assertThat(steps).extracting(HistoryStep::what, HistoryStep::sandboxName).startsWith(tuple("began", source.name()), tuple("taken", source.name()), tuple("began", copy.name()));
            assertThat(steps.get(2).snapshot()).as("with what the copy began").isNotNull().extracting(Snapshot::sandboxId, Snapshot::purpose, Snapshot::state).containsExactly(source.id(), "fork", "deleted");
            assertThat(tree().snapshots()).extracting(Snapshot::sandboxId, Snapshot::purpose, Snapshot::state).contains(tuple(source.id(), "fork", "deleted"));
            daemon.api().deleteSnapshot(second.id());
        }
    }

    private SnapshotTree tree() {
        return daemon.caller().get("/v1/tree").as(SnapshotTree.class);
    }

    private static List<String> ids(SnapshotTree tree) {
        return tree.snapshots().stream().map(Snapshot::id).toList();
    }

    private History history(String sandbox) {
        return daemon.caller().get("/v1/sandboxes/" + sandbox + "/history").as(History.class);
    }

    private static List<String> steps(History history) {
        return history.steps().stream()
                .map(step -> step.what() + " " + step.sandboxId() + " " + (step.snapshot() == null ? null : step.snapshot().id()))
                .toList();
    }
}
