package dev.sandglass.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;

/** A program that runs from memory. */
class SealedProgramTest {
    private static final Path ECHO = Path.of("/bin/echo");

    @Test
    void runsAsTheOriginalDoes() throws Exception {
        SealedProgram copy = SealedProgram.of(ECHO);
        Process process = new ProcessBuilder(copy.path().toString(), "hello").start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("hello\n");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void cannotBeChanged() throws Exception {
        SealedProgram copy = SealedProgram.of(ECHO);
        assertThat(Files.readAllBytes(copy.path())).isEqualTo(Files.readAllBytes(ECHO));
        assertThatThrownBy(() -> Files.write(copy.path(), new byte[] {0}, StandardOpenOption.WRITE)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Files.write(copy.path(), new byte[0], StandardOpenOption.TRUNCATE_EXISTING))
                .isInstanceOf(IOException.class);
    }

    @Test
    void needsAProgram() {
        assertThatThrownBy(() -> SealedProgram.of(Path.of("/nonexistent"))).isInstanceOf(IOException.class);
    }
}
