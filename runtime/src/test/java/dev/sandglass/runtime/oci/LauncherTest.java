package dev.sandglass.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starting engines from shells that wait. The engine here is a shell that leaves a process behind, as engines do. */
class LauncherTest {
    private static final Duration LATE = Duration.ofMillis(3);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path temporary;

    private final Launcher launcher = new Launcher(true);
    private int count;

    @AfterEach
    void endTheWaiting() {
        waiting().forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void theEngineRunsInTheDirectoryAndItsProcessStays() throws IOException {
        SandboxDirectory directory = directory();
        long pid = start(directory, List.of(temporary.resolve("entrance")));
        assertThat(ProcessHandle.of(pid)).isPresent();
        assertThat(temporary.resolve("entrance")).hasContent("0");
        assertThat(directory.path().resolve("words")).hasContent("two words * $HOME \\n");
        assertThat(Path.of("/proc", Long.toString(pid), "timerslack_ns")).hasContent(Long.toString(LATE.toNanos()));
        end(pid);
    }

    @Test
    void aShellWaitsForTheNextOneAndIsNotMissedIfItDies() throws Exception {
        end(start(directory(), List.of()));
        ProcessHandle shell = awaitWaiting();
        shell.destroyForcibly();
        shell.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        end(start(directory(), List.of()));
    }

    @Test
    void anEntranceThatIsShutKeepsTheEngineFromRunning() throws IOException {
        SandboxDirectory directory = directory();
        assertThatThrownBy(() -> start(directory, List.of(temporary.resolve("absent").resolve("tasks"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("125");
        assertThat(directory.pidFile()).doesNotExist();
        assertThat(directory.logTail()).contains("absent");
    }

    @Test
    void aWordWithALineBreakIsRefused() throws IOException {
        SandboxDirectory directory = directory();
        assertThatThrownBy(() -> launcher.begin(directory, Duration.ZERO, List.of(), List.of("sh", "a\nb"))).isInstanceOf(IOException.class);
    }

    private SandboxDirectory directory() throws IOException {
        SandboxDirectory directory = new SandboxDirectory(temporary.resolve("sandbox " + count++));
        directory.make();
        return directory;
    }

    private long start(SandboxDirectory directory, List<Path> entrances) throws IOException {
        String engine = "printf %s \"$0\" >words; sleep 60 <&- >&- 2>&- & echo $! >pid";
        try (Launch launch = launcher.begin(directory, LATE, entrances, List.of("sh", "-c", engine, "two words * $HOME \\n"))) {
            return launch.go();
        }
    }

    private static void end(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    private static ProcessHandle awaitWaiting() {
        return await("a shell that waits").atMost(PATIENCE).until(() -> waiting().findFirst(), Optional::isPresent).orElseThrow();
    }

    private static Stream<ProcessHandle> waiting() {
        return ProcessHandle.current().children().filter(child -> commandLine(child).contains("sandglass-launch"));
    }

    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
        } catch (IOException gone) {
            return "";
        }
    }
}
