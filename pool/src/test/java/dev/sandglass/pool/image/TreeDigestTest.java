package dev.sandglass.pool.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.pool.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
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

    @Test
    void attributesCountButNotForTheDigestThatOldImagesHave() throws IOException {
        TreeDigest.Result bare = TreeDigest.of(tree);
        Shell.run(tree, "python3 -c 'import os; os.setxattr(\"directory/file\", \"user.note\", b\"1\")'");
        TreeDigest.Result one = TreeDigest.of(tree);
        Shell.run(tree, "python3 -c 'import os; os.setxattr(\"directory/file\", \"user.note\", b\"2\")'");
        TreeDigest.Result other = TreeDigest.of(tree);
        assertThat(List.of(bare.sha256(), one.sha256(), other.sha256())).doesNotHaveDuplicates();
        assertThat(one.plain()).isEqualTo(bare.plain()).isEqualTo(other.plain());
        assertThat(one.bare()).isFalse();
    }

    @Test
    void theRootItselfCounts() throws IOException {
        Files.setPosixFilePermissions(tree, PosixFilePermissions.fromString("rwxr-xr-x"));
        TreeDigest.Result usual = TreeDigest.of(tree);
        assertThat(usual.bare()).isTrue();
        Files.setPosixFilePermissions(tree, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(TreeDigest.of(tree).sha256()).isNotEqualTo(usual.sha256());
        assertThat(TreeDigest.of(tree).bare()).isFalse();
    }

    @Test
    void attributesOfFilesWithOddNamesCount() throws IOException {
        String odd = "python3 -c 'import os; n=b\"a b%%41\\xff\\n\"; open(n, \"w\"); os.setxattr(n, \"user.note\", b\"1\")'".replace("%%", "%");
        Shell.run(tree, odd);
        assertThat(TreeDigest.of(tree).bare()).isFalse();
    }

    @Test
    void aHoleThatIsLargerThanAnyImageIsNotRead() throws IOException {
        Shell.run(tree, "truncate -s 17G hole");
        assertThatThrownBy(this::digest).hasMessageContaining("more than 16 GiB");
    }

    private String digest() throws IOException {
        return TreeDigest.of(tree).sha256();
    }
}
