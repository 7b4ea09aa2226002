package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.Trees;
import dev.sandglass.runtime.oci.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** A real runtime on a run directory of its own; after every test nothing may be left of its sandboxes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RuntimeFixture {
    final Engine engine;
    final RunDirectory run;
    final Cgroups cgroups;
    final Runtime runtime;
    final Workshop workshop;

    RuntimeFixture(Engine engine) throws IOException {
        this.engine = engine;
        this.run = new RunDirectory(Path.of("/run/sandglass-test-" + ProcessHandle.current().pid() + "-" + engine.text()));
        this.cgroups = Cgroups.detect();
        this.runtime = engine.open(run, cgroups);
        this.workshop = new Workshop(runtime, run.path());
    }

    @BeforeAll
    void engineWorksHere() {
        assertThat(runtime.status().available())
                .as("%s can run here: %s", engine.text(), runtime.status().reason())
                .isTrue();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        workshop.close();
        assertThat(Leftovers.of(run, cgroups)).isEmpty();
    }

    @AfterAll
    void removeRunDirectory() throws IOException {
        cgroups.removeIfEmpty(run.cgroupParent());
        if (Files.exists(run.path())) {
            Trees.remove(run.path());
        }
    }

    Cgroup group(Machine machine) {
        return cgroups.group(run.cgroupParent(), machine.id().text());
    }
}
