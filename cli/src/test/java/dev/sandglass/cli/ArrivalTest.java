package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArrivalTest {
    @TempDir
    private Path directory;

    private static Arrival of(Supplier<InputStream> content) {
        return new Arrival(new Console(InputStream.nullInputStream(), OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), Set.of(), Map.of()), "file", content);
    }

    private static InputStream text(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void takesThePlaceOfAFileWhenItIsWhole() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "old");
        assertThat(of(() -> text("new one")).write(file)).isEqualTo(7);
        assertThat(file).hasContent("new one");
        assertThat(directory).isDirectoryContaining(each -> each.equals(file)).isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void leavesWhatWasThereWhenItBreaksOff() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "old");
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("gone");
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                throw new IOException("gone");
            }
        };
        assertThatThrownBy(() -> of(() -> new SequenceInputStream(text("half"), broken)).write(file)).isInstanceOf(IOException.class);
        assertThat(file).hasContent("old");
        assertThat(directory).isDirectoryNotContaining("glob:**.new");
        assertThatThrownBy(() -> of(() -> text("new")).write(directory.resolve("none/file"))).isInstanceOf(SandglassException.class).hasMessageContaining("There is no directory");
    }

    /** Else root who sends it to /dev/null has a file there from then on. */
    @Test
    void aPipeOrDeviceStaysWhatItIs() throws IOException, InterruptedException {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        Process reader = new ProcessBuilder("cat", pipe.toString()).start();
        assertThat(of(() -> text("through it")).write(pipe)).isEqualTo(10);
        assertThat(new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("through it");
        assertThat(Files.isRegularFile(pipe)).isFalse();
    }
}
