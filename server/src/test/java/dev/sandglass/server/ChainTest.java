package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Snapshots of copies of copies, however deep, have what all before them had, and stand on few layers. */
@ExtendWith(SharedDaemon.class)
@Timeout(900)
class ChainTest {
    private static final int DEEP = 50;
    private static final int LONG = 16;
    private static final int MOST_LAYERS = 33;
    /** Each depth adds to a file, has one of its own, and takes away that of an earlier one; directories are replaced now and then. */
    private static final String STEP =
            """
            set -e; cd /workspace; echo %1$d >> log; echo at-%1$d > at-%1$d; rm -f at-%2$d
            if [ $((%1$d %% 7)) = 3 ]; then rm -rf dir; mkdir dir; fi; mkdir -p dir; echo %1$d > dir/of-%1$d; rm -f newest; ln at-%1$d newest
            """;
    private static final String LOOK =
            "cd /workspace; find . -type f -printf '%p %m %s\\n' | sort; find . -type f | sort | xargs md5sum; find / -xdev 2>/dev/null | grep -cv '^/\\(proc\\|sys\\|dev\\|run\\|tmp\\)/'";

    private final TestDaemon daemon = SharedDaemon.daemon();

    @AfterEach
    void tidyUp() throws IOException, InterruptedException {
        daemon.revive();
        daemon.api().list().stream().filter(box -> box.name().startsWith("chain-")).forEach(box -> daemon.api().destroy(box.id()));
        daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
    }

    @ParameterizedTest
    @CsvSource({"container, 50", "gvisor, 20"})
    void copiesOfCopiesHaveAllAndStandOnFewLayers(String runtime, int usual) throws IOException {
        int deep = Soak.on() ? DEEP : usual;
        List<Long> millis = new ArrayList<>();
        TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).name("chain-0").memoryMb(256));
        for (int depth = 1; depth <= deep; depth++) {
            box.output(STEP.formatted(depth, depth - 3));
            long begun = System.nanoTime();
            TestSandbox next = fork(box, "chain-" + depth);
            millis.add((System.nanoTime() - begun) / 1_000_000);
            box.close();
            box = next;
            assertThat(layersOf(box)).as("layers of the copy at depth %s", depth).isLessThanOrEqualTo(MOST_LAYERS);
        }
        System.out.println("Milliseconds of each fork of a fork on " + runtime + ": " + millis);
        assertThat(box.output("cat /workspace/log | tr '\\n' ' '; cd /workspace; ls at-*")).isEqualTo(expected(deep));
        String seen = box.output(LOOK);
        Snapshot last = daemon.api().capture(box.id(), "chain");
        daemon.api().verify(last.id());
        box.close();
        try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(last.id()).memoryMb(256))) {
            assertThat(copy.output(LOOK)).isEqualTo(seen);
            daemon.api().deleteSnapshot(last.id());
        }
        awaitNoLayers();
    }

    /** A merge that the last capture began may still hold them. */
    private void awaitNoLayers() {
        Eventually.get(this::layers, List::isEmpty);
    }

    @ParameterizedTest
    @EnumSource(names = {"MERGE_MADE", "MERGE_DESCRIBED"})
    void whatRunsOnALongChainIsLeftAloneWhenTheDaemonDiesWhileItIsMerged(Failpoint step) throws IOException, InterruptedException {
        daemon.stop();
        daemon.mortalAt(step.name()).start();
        List<TestSandbox> boxes = new ArrayList<>(List.of(daemon.api().create(SandboxRequest.on("container").name("chain-0"))));
        for (int depth = 1; depth <= LONG; depth++) {
            boxes.getLast().output(STEP.formatted(depth, depth - 3));
            boxes.add(fork(boxes.getLast(), "chain-" + depth));
            boxes.removeFirst().close();
        }
        TestSandbox top = boxes.getLast();
        String seen = top.output(LOOK);
        assertThat(layersOf(top)).isEqualTo(LONG);
        try {
            daemon.api().capture(top.id(), "begins-to-merge");
        } catch (UncheckedIOException died) {
            assertThat(died).as("or it had its answer before").isNotNull();
        }
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        assertThat(top.output(LOOK)).isEqualTo(seen);
        daemon.api().capture(top.id(), null);
        Eventually.get(this::layers, all -> all.stream().anyMatch(name -> name.matches(".*/merged-.*manifest")));
        assertThat(top.output(LOOK)).isEqualTo(seen);
        top.output(STEP.formatted(LONG + 1, LONG - 2)); // what did not change would stand on what it stood on before
        try (TestSandbox shallow = fork(top, "chain-17")) {
            assertThat(layersOf(shallow)).isEqualTo(2);
            assertThat(shallow.output(LOOK)).isEqualTo(top.output(LOOK));
        }
        assertThat(layersOf(top)).as("it is not touched").isEqualTo(LONG);
        top.close();
        daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
        awaitNoLayers();
    }

    private static String expected(int deep) {
        StringBuilder text = new StringBuilder();
        for (int depth = 1; depth <= deep; depth++) {
            text.append(depth).append(' ');
        }
        return text + "at-" + (deep - 2) + "\nat-" + (deep - 1) + "\nat-" + deep;
    }

    private TestSandbox fork(TestSandbox box, @Nullable String name) {
        ForkSandbox request = new ForkSandbox(1, name, null, null, null, null, null, true);
        Forked forked = daemon.caller().post(box.path() + "/fork", request).as(Forked.class);
        return new TestSandbox(daemon.caller(), forked.sandboxes().getFirst());
    }

    /** Without the image and the sandbox's own tree. */
    private long layersOf(TestSandbox box) {
        return LedgerFile.numbers(daemon, "SELECT json_array_length(details, '$.layers') FROM sandbox WHERE id = '" + box.id() + "'").getFirst();
    }

    private List<String> layers() {
        try {
            return MountNamespace.inside(daemon.run(), "find " + daemon.data().resolve("pool") + " " + daemon.data() + "/*/ -maxdepth 1 '(' -name 'layer.*' -o -name '*.manifest' ')'").lines().toList();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
