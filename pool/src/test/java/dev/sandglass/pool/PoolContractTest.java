package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every kind of pool does; the kinds run it on real filesystems. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PoolContractTest implements LayersContract, CollapseContract, DiffContract {
    private static final int MIB = 1 << 20;

    Path scratch;
    private Pool pool;

    /** Opens the pool below the scratch directory; called again to open it anew. */
    abstract Pool open(Path scratch);

    abstract void close(Path scratch);

    /** Makes the filesystem free what was removed now. */
    abstract void reclaim(Path poolDirectory) throws IOException;

    @BeforeAll
    void openPool(@TempDir Path directory) {
        scratch = directory;
        pool = open(scratch);
    }

    @AfterAll
    void closePool() {
        pool.layers().names().forEach(pool.layers()::remove);
        pool.trees().forEach(pool::remove);
        close(scratch);
    }

    @Test
    void aNewTreeIsEmptyAndOpenToAllForReading() throws IOException {
        Path tree = pool.create("new");
        assertThat(tree).isEqualTo(pool.path("new")).isEmptyDirectory();
        assertThat(Files.getPosixFilePermissions(tree)).isEqualTo(PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(Files.getAttribute(tree, "unix:uid")).isEqualTo(0);
        assertThat(pool.trees()).contains("new");
        assertThatThrownBy(() -> pool.create("new")).isInstanceOf(SandglassException.class);
    }

    @Test
    void aCopyIsTheSameInEverything() throws IOException {
        Path source = pool.create("odd");
        OddTree.fill(source);
        Path copy = pool.copy("odd", "odd-copy");
        OddTree.assertSame(copy, source);
    }

    @Test
    void writesAfterACopyAreSeenByNobodyElse() throws IOException {
        Path source = pool.create("original");
        Files.writeString(source.resolve("file"), "before");
        Path copy = pool.copy("original", "changed");
        Files.writeString(copy.resolve("file"), "copy");
        Files.writeString(source.resolve("file"), "source");
        Files.writeString(source.resolve("late"), "");
        assertThat(copy.resolve("file")).hasContent("copy");
        assertThat(copy.resolve("late")).doesNotExist();
        assertThat(source.resolve("file")).hasContent("source");
    }

    @Test
    void copyingWhatIsNotThereFailsAndLeavesNothing() {
        assertThatThrownBy(() -> pool.copy("missing", "target")).isInstanceOf(SandglassException.class);
        assertThat(pool.trees()).doesNotContain("target", "missing");
    }

    @Test
    void aSealedTreeCannotBeChangedButItsCopyCan() throws IOException {
        Path tree = pool.create("sealed");
        Files.writeString(tree.resolve("file"), "kept");
        pool.seal("sealed");
        if (pool.status().kind().startsWith("btrfs")) {
            assertThatThrownBy(() -> Files.writeString(tree.resolve("file"), "lost"))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("Read-only file system");
        }
        Path copy = pool.copy("sealed", "unsealed");
        Files.writeString(copy.resolve("file"), "other");
        assertThat(tree.resolve("file")).hasContent("kept");
        pool.remove("sealed");
        assertThat(tree).doesNotExist();
    }

    @Test
    void aLimitHoldsAndCanBeTakenAway() throws IOException {
        Path tree = pool.create("limited");
        pool.limit("limited", 16 * MIB);
        if (pool.canLimit()) {
            assertThatThrownBy(() -> write(tree.resolve("large"), 32)).hasMessageContaining("Disk quota exceeded");
            Files.delete(tree.resolve("large"));
            pool.limit("limited", 0);
        }
        write(tree.resolve("large"), 32);
        assertThat(tree.resolve("large")).hasSize(32L * MIB);
        assertThatIllegalArgumentException().isThrownBy(() -> pool.limit("limited", -1));
    }

    @Test
    void usedBytesGrowWithWhatIsWritten() throws IOException {
        Path tree = pool.create("used");
        long before = pool.usedBytes("used");
        write(tree.resolve("large"), 8);
        Shell.run(tree, "sync large");
        assertThat(pool.usedBytes("used")).isBetween(before + 8 * MIB, before + 9 * MIB);
    }

    @Test
    void removalGivesTheSpaceBackAndWorksTwice() throws IOException {
        Path tree = pool.create("large");
        write(tree.resolve("large"), 256);
        Shell.run(tree, "sync -f .");
        long full = pool.status().freeBytes();
        pool.remove("large");
        assertThat(tree).doesNotExist();
        assertThat(pool.trees()).doesNotContain("large");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            reclaim(directory());
            assertThat(pool.status().freeBytes()).isGreaterThan(full + 200L * MIB);
        });
        pool.remove("large");
    }

    @Test
    void removalFollowsNoLink() throws IOException {
        Path outside = outside("linked");
        Path tree = pool.create("links");
        Files.createSymbolicLink(tree.resolve("absolute"), outside);
        Files.createSymbolicLink(tree.resolve("upwards"), Path.of("../..").resolve(outside.getFileName()));
        Files.createSymbolicLink(pool.path("link"), outside);
        pool.remove("links");
        pool.remove("link");
        assertThat(outside.resolve("flag")).hasContent("flag");
        assertThat(pool.path("link")).doesNotExist();
    }

    @Test
    void removalEntersNoMount() throws IOException {
        Path outside = outside("mounted");
        Path tree = pool.create("mounts");
        Path mountPoint = Files.createDirectories(tree.resolve("some/where"));
        Shell.run(scratch, "mount --bind \"$1\" \"$2\"", outside, mountPoint);
        try {
            pool.remove("mounts");
        } catch (SandglassException refused) {
            assertThat(pool.trees()).contains("mounts");
        } finally {
            Shell.run(scratch, "grep -F mounts/some/where /proc/self/mounts | cut -d' ' -f2 | xargs -r umount");
        }
        assertThat(outside.resolve("flag")).hasContent("flag");
        pool.remove("mounts");
        assertThat(pool.trees()).doesNotContain("mounts");
    }

    @Test
    void treesDeeperThanAnyPathAreRemoved() {
        Path tree = pool.create("deep");
        Shell.run(tree, "perl -e 'for (1..3000) { mkdir q(deep-down) or die; chdir q(deep-down) or die }'");
        Shell.run(tree, "mkdir .deep-0 && touch .deep-0/file");
        pool.usedBytes("deep");
        pool.remove("deep");
        assertThat(tree).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", ".new-x", "../x", "a/b", "/a", "A", "a b", "a\0b", "a\n", "-a"})
    void hostileNamesAreRefused(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> pool.path(name));
        assertThatIllegalArgumentException().isThrownBy(() -> pool.create(name));
        assertThatIllegalArgumentException().isThrownBy(() -> pool.remove(name));
        assertThatIllegalArgumentException().isThrownBy(() -> pool.copy("source", name));
        assertThatIllegalArgumentException().isThrownBy(() -> pool.copy(name, "target"));
        assertThatIllegalArgumentException().isThrownBy(() -> pool.limit(name, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> pool.seal(name));
    }

    @Test
    void manyTreesAreMadeAndRemovedAtOnce() throws Exception {
        Files.writeString(pool.create("seed").resolve("file"), "seed");
        List<String> names = IntStream.range(0, 40).mapToObj(number -> "many-" + number).toList();
        try (var executor = Executors.newFixedThreadPool(8)) {
            for (Future<Path> made : executor.invokeAll(
                    names.stream().map(name -> (Callable<Path>) () -> pool.copy("seed", name)).toList())) {
                assertThat(made.get().resolve("file")).hasContent("seed");
            }
            assertThat(pool.trees()).containsAll(names);
            for (Future<Object> removed : executor.invokeAll(
                    names.stream().map(name -> Executors.callable(() -> pool.remove(name))).toList())) {
                removed.get();
            }
        }
        assertThat(pool.trees()).doesNotContainAnyElementsOf(names);
    }

    @Test
    void treesAreThereWhenThePoolIsOpenedAgain() throws IOException {
        Files.writeString(pool.create("lasting").resolve("file"), "kept");
        Pool again = open(scratch);
        assertThat(again.trees()).isEqualTo(pool.trees()).contains("lasting");
        assertThat(again.path("lasting").resolve("file")).hasContent("kept");
        assertThat(again.status().kind()).isEqualTo(pool.status().kind());
    }

    @Override
    public Path scratch() {
        return scratch;
    }

    @Override
    public Pool pool() {
        return pool;
    }

    Path directory() {
        return pool.path("any").resolve("..").normalize();
    }

    /** A directory outside the pool with a flag that must survive. */
    private Path outside(String name) throws IOException {
        Path outside = Files.createDirectory(scratch.resolve("outside-" + name));
        Files.writeString(outside.resolve("flag"), "flag");
        return outside;
    }

    static void write(Path file, int mebibytes) throws IOException {
        try (OutputStream output = Files.newOutputStream(file)) {
            byte[] block = new byte[MIB];
            Arrays.fill(block, (byte) 'x');
            for (int count = 0; count < mebibytes; count++) {
                output.write(block);
            }
        }
    }
}
