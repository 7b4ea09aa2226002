package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Snapshot;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A client that makes, uses, captures, copies, turns back and destroys one sandbox until the daemon dies under it, and remembers what it was told is done.
 */
final class Witness {
    private enum Known {
        ABSENT,
        PRESENT,
        /** The daemon died before it answered: either is right, and nothing in between. */
        UNSURE
    }

    /** What the sandbox had at a moment: the files with lower numbers, and commands that run. */
    private record Content(int files, List<String> commands) {}

    private record Kept(Snapshot snapshot, Content content) {}

    private final TestDaemon daemon;
    private final String runtime;
    private final String name;
    private final Random random;
    /** Whether commands come through a pause. */
    private final boolean keepsProcesses;
    private final List<String> commands = new ArrayList<>();
    private Known known = Known.ABSENT;
    private int files;
    private Optional<Kept> kept = Optional.empty();
    /** Whether the daemon died before it had said that a snapshot is there, or gone. */
    private boolean unsureOfSnapshot;
    /** The file that tells whether a rewind was done of which the daemon did not say it: the snapshot does not have it. */
    private Optional<String> rewinding = Optional.empty();
    /** Whether the daemon died while the sandbox was to rest or to go on. */
    private boolean resting;
    private long steps;

    Witness(TestDaemon daemon, String runtime, String name, long seed) {
        this.daemon = daemon;
        this.runtime = runtime;
        this.name = name;
        this.random = new Random(seed);
        this.keepsProcesses = CapturedMemory.obstacle(runtime).isEmpty();
    }

    /** Ends when the daemon does. */
    long workUntilItDies() {
        try {
            while (true) {
                step();
                steps++;
            }
        } catch (UncheckedIOException died) {
            return steps;
        }
    }

    private void step() {
        if (known != Known.PRESENT) {
            known = Known.UNSURE;
            daemon.api().create(SandboxRequest.on(runtime).name(name).memoryMb(256));
            known = Known.PRESENT;
            become(new Content(0, List.of()));
            return;
        }
        TestSandbox box = sandbox();
        switch (random.nextInt(12)) {
            case 0, 1 -> {
                box.files().write("/workspace/" + files, content(files));
                files++;
            }
            case 2 -> commands.add(box.start(Run.of("sleep", "100000")).id());
            case 3, 4 -> assertThat(box.output("echo hello")).isEqualTo("hello");
            case 5, 6 -> capture(box);
            case 7 -> kept.ifPresent(_ -> delete());
            case 8 -> copy(kept.isPresent() ? "/v1/snapshots/" + kept.get().snapshot().id() : box.path());
            case 9 -> rest(box);
            case 10 -> rewind(box);
            default -> {
                known = Known.UNSURE;
                box.close();
                known = Known.ABSENT;
            }
        }
    }

    private void capture(TestSandbox box) {
        if (kept.isPresent()) {
            delete();
        }
        unsureOfSnapshot = true;
        Content content = new Content(files, List.copyOf(commands));
        kept = Optional.of(new Kept(daemon.api().captureAll(box.id()), content));
        unsureOfSnapshot = false;
    }

    private void delete() {
        unsureOfSnapshot = true;
        daemon.api().deleteSnapshot(kept.orElseThrow().snapshot().id());
        kept = Optional.empty();
        unsureOfSnapshot = false;
    }

    private void copy(String source) {
        int there = kept.map(Kept::content).map(Content::files).orElse(files);
        ForkSandbox request = new ForkSandbox(1, copyName(), null, null, null, null, null, null);
        Forked forked = daemon.caller().post(source + "/fork", request).as(Forked.class);
        try (TestSandbox copy = new TestSandbox(daemon.caller(), forked.sandboxes().getFirst())) {
            requireFiles(copy, there);
        }
    }

    private void rest(TestSandbox box) {
        if (!keepsProcesses) {
            commands.clear();
        }
        resting = true;
        box.pause(!keepsProcesses);
        box.resume(!keepsProcesses);
        resting = false;
    }

    private void rewind(TestSandbox box) {
        if (kept.isPresent()) {
            String later = "/workspace/later-" + random.nextLong();
            box.files().write(later, "");
            if (!keepsProcesses) {
                commands.clear();
            }
            rewinding = Optional.of(later);
            resting = true;
            box.rewind(kept.get().snapshot().id());
            resting = false;
            rewinding = Optional.empty();
            become(kept.get().content());
        }
    }

    /** Holds the next daemon to all that the last one said. */
    void verify() {
        List<String> names = daemon.api().names();
        if (names.contains(copyName())) {
            try (TestSandbox copy = sandbox(copyName())) {
                assertThat(copy.output("echo works")).isEqualTo("works");
            }
        }
        verifySnapshots();
        boolean present = names.contains(name);
        if (known != Known.UNSURE) {
            assertThat(present).as("%s on %s", name, runtime).isEqualTo(known == Known.PRESENT);
        }
        if (!present) {
            known = Known.ABSENT;
            return;
        }
        TestSandbox box = sandbox();
        if (known == Known.UNSURE) {
            assertThat(box.output("echo works")).isEqualTo("works");
            box.close();
            known = Known.ABSENT;
            return;
        }
        wake(box);
        rewinding.filter(later -> box.run(Run.of("test", "-e", later)).exit().code() != 0).ifPresent(_ -> become(kept.orElseThrow().content()));
        rewinding = Optional.empty();
        requireFiles(box, files);
        assertThat(box.commands()).filteredOn(command -> command.state().equals("running")).extracting(Command::id).containsAll(commands);
    }

    private void wake(TestSandbox box) {
        String state = box.info().state();
        if (resting) {
            assertThat(state).as(name).isIn("running", "paused");
            box.resume(!keepsProcesses);
        } else {
            assertThat(state).as(name).isEqualTo("running");
        }
        resting = false;
    }

    private void verifySnapshots() {
        List<Snapshot> there = daemon.api().snapshots().stream().filter(snapshot -> snapshot.sandboxName().equals(name)).toList();
        there.forEach(snapshot -> daemon.api().verify(snapshot.id()));
        if (unsureOfSnapshot) {
            assertThat(there).hasSizeLessThanOrEqualTo(1);
            there.forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
            kept = Optional.empty();
            unsureOfSnapshot = false;
        }
        if (kept.isPresent()) {
            assertThat(there).extracting(Snapshot::id).containsExactly(kept.get().snapshot().id());
        }
    }

    private static void requireFiles(TestSandbox box, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(box.files().read("/workspace/" + i)).isEqualTo(content(i));
        }
    }

    /** Large enough for blocks of its own, which a snapshot shares. */
    private static String content(int file) {
        return ("content " + file + "\n").repeat(1000);
    }

    /** Takes everything away. */
    void leave() {
        kept.ifPresent(_ -> delete());
        if (known == Known.PRESENT) {
            sandbox().close();
        }
    }

    private void become(Content content) {
        files = content.files();
        commands.clear();
        if (keepsProcesses) {
            commands.addAll(content.commands());
        }
    }

    private String copyName() {
        return name + "-copy";
    }

    private TestSandbox sandbox() {
        return sandbox(name);
    }

    private TestSandbox sandbox(String of) {
        return new TestSandbox(daemon.caller(), daemon.api().get(of));
    }
}
