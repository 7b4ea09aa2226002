package dev.sandglass.pool.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.linux.NameRoom;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A walk holds a bounded number of names, however many files a sandbox makes. */
class WalkTest {
    private static final int ROOM = 50 * (NameRoom.EACH + 10);

    @TempDir
    Path tree;

    private int visited;

    @Test
    void tooManyNamesInOneDirectoryAreRefusedAndNothingStaysOpen() throws IOException {
        Path crowd = Files.createDirectories(tree.resolve("above/crowd"));
        fill(crowd, 100);
        isRefused();
    }

    @Test
    void tooManyNamesInDirectoriesThatAreOpenTogetherAreRefused() throws IOException {
        Path directory = tree;
        for (int level = 0; level < 4; level++) {
            fill(directory, 20);
            directory = Files.createDirectory(directory.resolve("a"));
        }
        isRefused();
    }

    @Test
    void manyNamesInManyDirectoriesAreWalked() throws IOException {
        for (int i = 0; i < 20; i++) {
            fill(Files.createDirectory(tree.resolve("d" + i)), 20);
        }
        walk().root("upper", tree);
        assertThat(visited).isEqualTo(1 + 20 * 21);
    }

    @Test
    void filesWithSeveralNamesCount() throws IOException {
        for (int i = 0; i < 60; i++) {
            Path directory = Files.createDirectories(tree.resolve("d" + i / 10));
            Files.createLink(directory.resolve("second" + i), Files.createFile(directory.resolve("first" + i)));
        }
        isRefused();
    }

    @Test
    void directoriesThatAreTooDeepAreRefusedAsThat() throws IOException, InterruptedException {
        String deep = "import os\nfor i in range(4200): os.mkdir('d'); os.chdir('d')";
        assertThat(new ProcessBuilder("python3", "-c", deep).directory(tree.toFile()).start().waitFor()).isZero();
        assertThatThrownBy(() -> new Walk((_, _) -> {}).root("upper", tree))
                .isInstanceOf(SandglassException.class)
                .hasMessageContaining("more than 4096 directories in one another, from upper/d/d/d on");
        Trees.remove(tree.resolve("d"));
    }

    private static void fill(Path directory, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            Files.createFile(directory.resolve("file" + i));
        }
    }

    private Walk walk() {
        return new Walk((_, _) -> visited++, () -> new NameRoom(ROOM));
    }

    private void isRefused() throws IOException {
        long open = ofThisTree();
        assertThatThrownBy(() -> walk().root("upper", tree))
                .isInstanceOf(SandglassException.class)
                .extracting((Function<Throwable, ErrorCode>) problem -> ((SandglassException) problem).code())
                .isEqualTo(ErrorCode.LIMIT_REACHED);
        assertThat(ofThisTree()).isEqualTo(open);
    }

    /** How many descriptors are open in it. */
    private long ofThisTree() throws IOException {
        Path real = tree.toRealPath();
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(each -> leadsInto(each, real)).count();
        }
    }

    private static boolean leadsInto(Path descriptor, Path directory) {
        try {
            return Files.readSymbolicLink(descriptor).startsWith(directory);
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }
}
