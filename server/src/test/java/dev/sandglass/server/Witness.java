package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A client that makes, uses and destroys one sandbox until the daemon dies under it, and remembers what it was told is done. */
final class Witness {
    private enum Known {
        ABSENT,
        PRESENT,
        /** The daemon died before it answered: either is right, and nothing in between. */
        UNSURE
    }

    private final TestDaemon daemon;
    private final String runtime;
    private final String name;
    private final Random random;
    private final List<String> commands = new ArrayList<>();
    private Known known = Known.ABSENT;
    private int files;
    private long steps;

    Witness(TestDaemon daemon, String runtime, String name, long seed) {
        this.daemon = daemon;
        this.runtime = runtime;
        this.name = name;
        this.random = new Random(seed);
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
            daemon.api().create(SandboxRequest.on(runtime).name(name));
            known = Known.PRESENT;
            files = 0;
            commands.clear();
            return;
        }
        TestSandbox box = sandbox();
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                box.files().write("/workspace/" + files, "content " + files);
                files++;
            }
            case 2, 3 -> commands.add(box.start(Run.of("sleep", "100000")).id());
            case 4, 5, 6 -> assertThat(box.output("echo hello")).isEqualTo("hello");
            default -> {
                known = Known.UNSURE;
                box.close();
                known = Known.ABSENT;
            }
        }
    }

    /** Holds the next daemon to all that the last one said. */
    void verify() {
        boolean present = daemon.api().names().contains(name);
        if (known != Known.UNSURE) {
            assertThat(present).as("%s on %s", name, runtime).isEqualTo(known == Known.PRESENT);
        }
        if (!present) {
            known = Known.ABSENT;
            return;
        }
        TestSandbox box = sandbox();
        assertThat(box.info().state()).as(name).isEqualTo("running");
        if (known == Known.UNSURE) {
            assertThat(box.output("echo works")).isEqualTo("works");
            box.close();
            known = Known.ABSENT;
            return;
        }
        for (int i = 0; i < files; i++) {
            assertThat(box.files().read("/workspace/" + i)).isEqualTo("content " + i);
        }
        assertThat(box.commands()).filteredOn(command -> command.state().equals("running")).extracting(Command::id).containsAll(commands);
    }

    void leave() {
        if (known == Known.PRESENT) {
            sandbox().close();
        }
    }

    private TestSandbox sandbox() {
        return new TestSandbox(daemon.caller(), daemon.api().get(name));
    }
}
