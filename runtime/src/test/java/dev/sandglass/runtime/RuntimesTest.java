package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.wire.RuntimeStatus;
import java.nio.file.Path;
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
}
