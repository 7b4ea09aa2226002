package dev.sandglass.runtime.gvisor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The image of a kernel may have come from anywhere. */
@Timeout(120)
class GvisorImageTest {
    @TempDir
    Path directory;

    @Test
    void noLinkIsFollowed() throws IOException {
        Files.createSymbolicLink(directory.resolve("pages.img"), Path.of("/etc/passwd"));
        Files.createSymbolicLink(directory.resolve("config.json"), Path.of("/dev/zero"));
        GvisorImage image = new GvisorImage(directory);
        assertThatThrownBy(image::memoryBytes).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> image.hasMount("/proc")).isInstanceOf(IOException.class);
    }
}
