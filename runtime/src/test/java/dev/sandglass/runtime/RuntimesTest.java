package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.linux.Cgroups;
import dev.sandglass.runtime.oci.RunDirectory;
import dev.sandglass.wire.RuntimeStatus;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimesTest {
    @TempDir
    Path directory;

    @Test
    void automaticIsTheStrongestThatRunsHereAndSaysWhy() throws Exception {
        Runtimes runtimes = Runtimes.open(directory.resolve("run"));
        assertThat(runtimes.all()).extracting(Runtime::name).containsExactly("gvisor", "container");
        assertThat(runtimes.statuses()).allMatch(RuntimeStatus::available);
        Runtimes.Choice choice = runtimes.automatic();
        assertThat(choice.runtime().name()).isEqualTo("gvisor");
        assertThat(choice.reason()).startsWith("gvisor (runsc ");
    }

    @Test
    void tidyRemovesTheGroupAboveTheSandboxesOnlyWhenItIsEmpty() throws Exception {
        Path run = directory.resolve("sandglass-tidy-" + ProcessHandle.current().pid());
        String parent = new RunDirectory(run).cgroupParent();
        Cgroups cgroups = Cgroups.detect();
        cgroups.group(parent, "box").make();
        Runtimes.tidy(run);
        assertThat(cgroups.names(parent)).containsExactly("box");
        cgroups.group(parent, "box").destroy(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));
        Runtimes.tidy(run);
        assertThat(Path.of("/sys/fs/cgroup/memory", parent)).doesNotExist();
    }
}
