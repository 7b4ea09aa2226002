package dev.sandglass.engine.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An image that was imported before files were looked at so is not used either. */
class MemoryFilesTest {
    @TempDir
    Path image;

    @BeforeEach
    void plain() throws IOException {
        Files.writeString(image.resolve("checkpoint.img"), "x");
        Files.writeString(image.resolve("pages-1.img"), "x");
        MemoryFiles.requireFound(image);
    }

    @Test
    void aLinkIsRefused() throws IOException {
        Files.createSymbolicLink(image.resolve("pages.img"), Path.of("/etc/passwd"));
        isRefused("pages.img");
    }

    @Test
    void aSecondNameIsRefused() throws IOException {
        Files.createLink(image.resolve("pages.img"), image.resolve("pages-1.img"));
        isRefused("pages");
    }

    @Test
    void aDirectoryIsRefused() throws IOException {
        Files.createDirectory(image.resolve("pages.img"));
        isRefused("pages.img");
    }

    @Test
    void aFifoIsRefused() throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("mkfifo", image.resolve("config.json").toString()).start().waitFor()).isZero();
        isRefused("config.json");
    }

    private void isRefused(String name) {
        assertThatThrownBy(() -> MemoryFiles.requireFound(image)).hasMessageContaining("memory/" + name).hasMessageContaining("no plain file");
    }
}
