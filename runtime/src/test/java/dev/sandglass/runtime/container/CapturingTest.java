package dev.sandglass.runtime.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.linux.ProcessFacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CapturingTest {
    @TempDir
    Path directory;

    @Test
    void itsStatusIsToldAndNothingStays() throws IOException {
        Path log = directory.resolve("log");
        assertThat(new Capturing(directory).run(List.of("sh", "-c", "cat; echo said >&2; ls " + directory + " >&2; exit 7"), log)).isEqualTo(7);
        assertThat(log).content().startsWith("said\n").contains("capturing");
        assertThat(directory).isDirectoryNotContaining("glob:**/capturing");
    }

    @Test
    void oneThatAnEarlierDaemonBeganIsAwaited() throws Exception {
        Process earlier = new ProcessBuilder("sleep", "1000").start();
        long began = ProcessFacts.startTicks(earlier.pid()).orElseThrow();
        Files.writeString(directory.resolve("capturing"), earlier.pid() + " " + began);
        AtomicBoolean killed = new AtomicBoolean();
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                new Capturing(directory).await();
                Files.createFile(directory.resolve(killed.get() ? "over" : "early"));
            } catch (IOException problem) {
                throw new AssertionError(problem);
            }
        });
        Thread.sleep(50); // it has every chance to be wrong
        killed.set(true);
        earlier.destroyForcibly().waitFor();
        waiting.join();
        assertThat(directory.resolve("over")).exists();
        assertThat(directory.resolve("capturing")).doesNotExist();
    }

    @Test
    void aProcessThatOnlyHasItsNumberIsNot() throws IOException {
        Files.writeString(directory.resolve("capturing"), ProcessHandle.current().pid() + " 1");
        new Capturing(directory).await();
        assertThat(directory.resolve("capturing")).doesNotExist();
    }
}
