package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.runtime.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A daemon that died between its word to gVisor's kernel and the note of it: a resume too many would end the kernel, one too few leave it stopped. */
abstract class PauseInDoubtContract extends RuntimeFixture {
    PauseInDoubtContract(Engine engine) throws IOException {
        super(engine);
    }

    @Test
    void oneThatWasPausedGoesOn() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        runtime.pause(machine.id());
        doubt(machine);
        runtime.pause(machine.id());
        doubt(machine);
        runtime.resume(machine.id());
        assertThat(guest.sh("echo on")).isEqualTo("on");
    }

    @Test
    void oneThatWasNotPausedIsLeftAlone() throws Exception {
        Machine machine = workshop.machine();
        Guest guest = workshop.start(machine);
        doubt(machine);
        runtime.resume(machine.id());
        assertThat(guest.sh("echo on")).isEqualTo("on");
        doubt(machine);
        runtime.pause(machine.id());
        runtime.resume(machine.id());
        assertThat(guest.sh("echo on")).isEqualTo("on");
        assertThat(runtime.life(guest.process())).isEqualTo(Life.ALIVE);
    }

    private void doubt(Machine machine) throws IOException {
        Path note = run.path().resolve("sandboxes").resolve(machine.id().text()).resolve("paused");
        Files.writeString(note, "");
    }
}
