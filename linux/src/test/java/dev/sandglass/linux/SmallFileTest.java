package dev.sandglass.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class SmallFileTest {
    @TempDir
    Path tree;

    @Test
    void aSmallFileIsReadWhole() throws IOException {
        Files.createDirectory(tree.resolve("etc"));
        Files.writeString(tree.resolve("etc/file"), "content");
        assertThat(SmallFile.read(tree, "etc/file", 7)).asString().isEqualTo("content");
        assertThat(SmallFile.size(tree.resolve("etc"), "file")).isEqualTo(7);
        assertThat(SmallFile.find(tree, "etc/none", 7)).isEmpty();
        assertThat(SmallFile.find(tree, "none/file", 7)).isEmpty();
    }

    @Test
    void aLinkIsNotFollowedWhereverItStands() throws IOException {
        Files.createSymbolicLink(tree.resolve("etc"), Path.of("/etc"));
        Files.createSymbolicLink(tree.resolve("passwd"), Path.of("/etc/passwd"));
        assertThatThrownBy(() -> SmallFile.read(tree, "etc/passwd", 1 << 20)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> SmallFile.read(tree, "passwd", 1 << 20)).hasMessageContaining("no regular file");
        assertThatThrownBy(() -> SmallFile.size(tree, "passwd")).hasMessageContaining("no regular file");
        assertThat(SmallFile.find(tree, "etc/passwd", 1 << 20)).isEmpty();
    }

    @Test
    void aFifoKeepsNobodyWaiting() throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("mkfifo", tree.resolve("fifo").toString()).start().waitFor()).isZero();
        assertThatThrownBy(() -> SmallFile.read(tree, "fifo", 10)).hasMessageContaining("no regular file");
    }

    @Test
    void aLargeFileIsNotRead() throws IOException {
        Files.writeString(tree.resolve("file"), "12345678", StandardOpenOption.CREATE_NEW);
        assertThatThrownBy(() -> SmallFile.read(tree, "file", 7)).hasMessageContaining("expected: <= 7");
    }
}
