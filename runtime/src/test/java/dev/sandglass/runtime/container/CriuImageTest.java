package dev.sandglass.runtime.container;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an image says of the outside may be somebody else's work. */
class CriuImageTest {
    @TempDir
    Path directory;

    @Test
    void noLinkIsFollowedAndNothingLargeIsRead() throws IOException {
        Path description = directory.resolve("outside.json");
        Files.createSymbolicLink(description, Path.of("/etc/passwd"));
        assertThatThrownBy(new CriuImage(directory)::outside).hasMessageContaining("no regular file");
        Files.delete(description);
        Files.write(description, new byte[(1 << 20) + 1]);
        assertThatThrownBy(new CriuImage(directory)::outside).hasMessageContaining("expected: <= 1048576");
    }
}
