package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A paused sandbox stands still, and goes on as if nothing had been. */
abstract class PauseContract extends RuntimeFixture {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration POLL = Duration.ofMillis(5);
    private static final int STEPS = 5;
    private static final int PAUSES = 50;

    PauseContract(Engine engine) throws IOException {
        super(engine);
    }

    @Test
    void processesStopInTheirTracksAndGoOn() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        Path counter = counting(machine, guest);

        runtime.pause(machine.id());
        runtime.pause(machine.id()); // twice is once
        String before = Files.readString(counter);
        Machine neighbour = workshop.machine();
        Path others = counting(neighbour, workshop.start(neighbour));
        for (int i = 0; i < STEPS; i++) {
            awaitChange(others, Files.readString(others)); // so there was time to count
        }
        assertThat(Files.readString(counter)).as("while it is paused").isEqualTo(before);

        runtime.resume(machine.id());
        awaitChange(counter, before);
        assertThat(guest.sh("echo on")).isEqualTo("on");
    }

    @Test
    void processesThatAlwaysStartOthersStopToo() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        Path counter = counting(machine, guest);
        for (int i = 0; i < PAUSES; i++) {
            runtime.pause(machine.id());
            String before = Files.readString(counter);
            runtime.resume(machine.id());
            awaitChange(counter, before);
        }
    }

    @Test
    void resumeOfOneThatIsNotPausedDoesNothing() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        runtime.resume(machine.id());
        runtime.resume(machine.id());
        runtime.pause(machine.id());
        runtime.resume(machine.id());
        runtime.resume(machine.id());
        assertThat(guest.sh("echo on")).isEqualTo("on");
    }

    @Test
    void whatOneDaemonPausedTheNextLetsGoOn() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        Path counter = counting(machine, guest);
        runtime.pause(machine.id());

        Runtime next = engine.open(run, cgroups);
        String before = Files.readString(counter);
        next.resume(machine.id());

        awaitChange(counter, before);
    }

    @Test
    void aPausedOneIsDestroyedLikeAnyOther() throws Exception {
        Machine machine = workshop.machine();
        workshop.start(machine);
        runtime.pause(machine.id());
        runtime.destroy(machine.id());
        assertThat(runtime.present()).doesNotContain(machine.id());
        assertThat(Leftovers.of(run, cgroups)).isEmpty();
    }

    @Test
    void oneThatDoesNotRunIsSaidToBeSo() {
        SandboxId nobody = SandboxId.random();
        assertThatThrownBy(() -> runtime.pause(nobody))
                .isInstanceOfSatisfying(
                        SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.SANDBOX_NOT_RUNNING));
    }

    /** Starts a program that counts in a file of the sandbox's own tree; returns the file when it does. */
    private static Path counting(Machine machine, Guest guest) throws Exception {
        guest.start("root", "sh", "-c", "n=0; while :; do n=$((n+1)); echo $n > /srv/new; mv /srv/new /srv/counter; done");
        Path counter = machine.writable().resolve("upper/srv/counter");
        await().atMost(PATIENCE).until(() -> Files.exists(counter));
        return counter;
    }

    private static void awaitChange(Path counter, String before) {
        await().atMost(PATIENCE).pollInterval(POLL).until(() -> !Files.readString(counter).equals(before));
    }
}
