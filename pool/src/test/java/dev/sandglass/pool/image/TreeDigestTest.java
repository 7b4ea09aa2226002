package dev.sandglass.pool.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeDigestTest {
    @TempDir
    Path tree;

    private String before = "";

    @BeforeEach
    void fill() throws IOException {
        Files.createDirectory(tree.resolve("directory"));
        Files.writeString(tree.resolve("directory/file"), "content");
        Files.createSymbolicLink(tree.resolve("link"), Path.of("directory/file"));
        before = digest();
    }

    @Test
    void timesDoNotCount() throws IOException {
        Files.setLastModifiedTime(tree.resolve("directory/file"), FileTime.fromMillis(0));
        assertThat(digest()).isEqualTo(before);
        assertThat(TreeDigest.of(tree)).satisfies(result -> assertThat(result.files()).isEqualTo(3));
        assertThat(TreeDigest.of(tree).bytes()).isEqualTo(7);
    }

    @Test
    void aChangedByteCounts() throws IOException {
        Files.writeString(tree.resolve("directory/file"), "contenT");
        assertThat(digest()).isNotEqualTo(before);
    }

    @Test
    void theModeCounts() throws IOException {
        Files.setPosixFilePermissions(tree.resolve("directory"), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(digest()).isNotEqualTo(before);
    }

    @Test
    void whereALinkLeadsCounts() throws IOException {
        Files.delete(tree.resolve("link"));
        Files.createSymbolicLink(tree.resolve("link"), Path.of("/directory/file"));
        assertThat(digest()).isNotEqualTo(before);
    }

    @Test
    void anEmptyDirectoryCounts() throws IOException {
        Files.createDirectory(tree.resolve("empty"));
        assertThat(digest()).isNotEqualTo(before);
    }

    private String digest() throws IOException {
        return TreeDigest.of(tree).sha256();
    }
}
