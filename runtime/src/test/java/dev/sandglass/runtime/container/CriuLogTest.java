package dev.sandglass.runtime.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CriuLogTest {
    private static final SandboxId ID = SandboxId.random();

    @TempDir
    Path directory;

    @Test
    void whatIsInTheWayIsNamedWithItsProcess() throws IOException {
        long pid = ProcessHandle.current().pid();
        CriuLog log = log("(00.02) Error (criu/util.c:1533): rlimit: Can't setup RLIMIT_NOFILE for self: Operation not permitted\n"
                + "(00.1) Error (criu/files-reg.c:1031): Can't dump ghost file tmp/evil\u001b[2J of 9 size, increase limit\n"
                + "(00.1) Error (criu/cr-dump.c:1651): Dump files (pid: " + pid + ") failed with -1\n");
        assertThatThrownBy(() -> log.failure(ID, 1)).isInstanceOfSatisfying(SandglassException.class, problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.SNAPSHOT_BLOCKED);
            assertThat(problem.what()).contains("java").contains("Can't dump ghost file tmp/evil?[2J").doesNotContain("RLIMIT", "\u001b", "files-reg.c");
        });
    }

    @Test
    void aFullDiskIsToldAsSuch() throws IOException {
        CriuLog log = log("Error (criu/page-xfer.c): Unable to write: No space left on device\nError: Dump (pid: 1) failed\n");
        assertThatThrownBy(() -> log.failure(ID, 1))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.DISK_FULL));
    }

    @Test
    void allElseHasItsLastWords() throws IOException {
        assertThat(log("Error (criu/x.c:1): Odd\n").failure(ID, 3)).hasMessage("criu dump ended with status 3: Odd");
        assertThat(new CriuLog(directory.resolve("none")).failure(ID, 3)).hasMessage("criu dump ended with status 3");
    }

    private CriuLog log(String text) throws IOException {
        return new CriuLog(Files.writeString(directory.resolve("criu.log"), text));
    }
}
