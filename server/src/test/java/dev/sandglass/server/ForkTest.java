package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Copies of a sandbox that runs begin at one moment of it and go their own ways. */
@ExtendWith(SharedDaemon.class)
@Timeout(600)
class ForkTest {
    private final TestDaemon daemon = SharedDaemon.daemon();

    @Test
    void copiesGoOnFromOneMomentEachByItself() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256))) {
            source.output("echo before > /workspace/file");
            Command waiting = source.start(Run.shell("word=remembered; while read -r line; do echo $word $line; done").withInput());
            Forked forked = fork(source.path(), 3, "branch");
            assertThat(forked.pauseMs()).isPositive();
            List<TestSandbox> all = boxes(forked);
            try {
                assertThat(all).extracting(TestSandbox::name).containsExactlyInAnyOrder("branch-1", "branch-2", "branch-3");
                Set<String> machines = new HashSet<>();
                for (TestSandbox copy : all) {
                    copy.output("echo " + copy.name() + " > /workspace/file");
                    copy.input(copy.command(waiting.id()), copy.name() + "\n", false);
                    Eventually.get(() -> copy.said(waiting), text -> text.contains("remembered " + copy.name()));
                    assertThat(copy.output("hostname; cat /run/sandglass/generation")).isEqualTo(copy.name() + "\n2");
                    machines.add(copy.output("cat /etc/machine-id"));
                }
                assertThat(machines).hasSize(3);
                for (TestSandbox copy : all) {
                    assertThat(copy.output("cat /workspace/file")).isEqualTo(copy.name());
                }
                assertThat(source.output("cat /workspace/file")).isEqualTo("before");
                assertThat(daemon.api().allSnapshots()).as("what they began with is theirs alone").isEmpty();
                Forked deeper = fork(all.getFirst().path(), 1, "twig");
                try (TestSandbox twig = boxes(deeper).getFirst()) {
                    assertThat(twig.output("cat /workspace/file /run/sandglass/generation")).isEqualTo("branch-1\n3");
                }
            } finally {
                all.forEach(TestSandbox::close);
            }
        }
    }

    @Test
    void theDiskIsCopiedOnContainersAndFromSnapshots() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("container").env(Map.of("COLOUR", "blue", "SHAPE", "round")))) {
            source.output("echo before > /workspace/file");
            Snapshot snapshot = daemon.api().capture(source.id(), "trunk");
            source.output("echo later > /workspace/file");
            List<TestSandbox> copies = new ArrayList<>(boxes(fork(source.path(), 2, null)));
            copies.addAll(boxes(fork("/v1/snapshots/trunk", 2, "old")));
            try {
                assertThat(copies).extracting(copy -> copy.output("echo $COLOUR $SHAPE")).as("as in the source").startsWith("blue square", "blue square");
                assertThat(copies).extracting(copy -> copy.output("cat /workspace/file")).containsExactly("later", "later", "before", "before");
            } finally {
                copies.forEach(TestSandbox::close);
                daemon.api().deleteSnapshot(snapshot.id());
            }
        }
    }

    @Test
    void allOrNone() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("container"));
                TestSandbox taken = daemon.api().create(SandboxRequest.on("container").name("leaf-2"))) {
            refused(ErrorCode.NAME_TAKEN, () -> fork(source.path(), 3, "leaf"));
            refused(ErrorCode.INVALID_REQUEST, () -> fork(source.path(), 0, null));
            refused(ErrorCode.SANDBOX_NOT_FOUND, () -> fork("/v1/sandboxes/nobody", 1, null));
            assertThat(daemon.api().names()).contains(taken.name()).doesNotContain("leaf-1", "leaf-3");
            assertThat(source.output("echo on")).isEqualTo("on");
            assertThat(daemon.api().allSnapshots()).isEmpty();
        }
    }

    private Forked fork(String path, int count, @Nullable String name) {
        ForkSandbox request = new ForkSandbox(count, name, null, null, Map.of("SHAPE", "square"), Map.of(), null, null);
        return daemon.caller().post(path + "/fork", request).as(Forked.class);
    }

    private List<TestSandbox> boxes(Forked forked) {
        return forked.sandboxes().stream().map(this::box).toList();
    }

    private TestSandbox box(Sandbox sandbox) {
        return new TestSandbox(daemon.caller(), sandbox);
    }
}
