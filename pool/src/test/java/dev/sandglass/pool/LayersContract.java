package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.pool.LayerBytes;
import dev.sandglass.engine.pool.Layers;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the layers of every kind of pool do. */
interface LayersContract {
    Pool pool();

    @Test
    default void aLayerIsTheSameAsTheTreeInEverythingAndStaysSo() throws IOException {
        Path upper = tree("to-freeze");
        OddTree.fill(upper);
        layers().settle("to-freeze");
        Path layer = layers().snapshot("to-freeze", "frozen");
        assertThat(layer).isEqualTo(layers().path("frozen"));
        OddTree.assertSame(layers().lower("frozen"), upper);
        Files.writeString(upper.resolve("sub/file"), "changed");
        Files.writeString(upper.resolve("late"), "");
        assertThat(layers().lower("frozen").resolve("sub/file")).hasContent("content");
        assertThat(layers().lower("frozen").resolve("late")).doesNotExist();
        pool().remove("to-freeze");
        assertThat(layers().lower("frozen").resolve("sub/file")).hasContent("content");
        if (isBtrfs()) {
            assertThatThrownBy(() -> Files.writeString(layer.resolve("upper/sub/file"), "lost"))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("Read-only file system");
        }
    }

    @Test
    default void layersAndTreesAreListedApart() throws IOException {
        tree("same-name");
        layers().snapshot("same-name", "same-name");
        layers().snapshot("same-name", "layer-only");
        assertThat(layers().names()).contains("same-name", "layer-only");
        assertThat(pool().trees()).contains("same-name").doesNotContain("layer-only");
        pool().remove("same-name");
        assertThat(layers().names()).contains("same-name");
        layers().remove("same-name");
        assertThat(layers().names()).contains("layer-only").doesNotContain("same-name");
    }

    @Test
    default void aLayerIsNeverReplacedAndAFailedOneLeavesNothing() throws IOException {
        Files.writeString(tree("twice").resolve("file"), "first");
        layers().snapshot("twice", "once");
        Files.writeString(pool().path("twice").resolve("upper/file"), "second");
        assertThatThrownBy(() -> layers().snapshot("twice", "once")).isInstanceOf(SandglassException.class);
        assertThat(layers().lower("once").resolve("file")).hasContent("first");
        assertThatThrownBy(() -> layers().snapshot("missing", "never")).isInstanceOf(SandglassException.class);
        assertThat(layers().names()).doesNotContain("never");
        assertThat(hidden()).isEmpty();
    }

    @Test
    default void aTreeIsUnchangedOnlyWhileNothingAtAllWasDoneToIt() throws IOException {
        Path upper = tree("quiet");
        Files.writeString(upper.resolve("file"), "before");
        layers().snapshot("quiet", "quiet-1");
        if (!isBtrfs()) {
            assertThat(layers().isUnchanged("quiet", "quiet-1")).as("nobody knows").isFalse();
            return;
        }
        assertThat(layers().isUnchanged("quiet", "quiet-1")).isTrue();
        layers().settle("quiet");
        layers().snapshot("quiet", "quiet-2");
        assertThat(layers().isUnchanged("quiet", "quiet-1")).as("snapshots are no changes").isTrue();
        for (String change : new String[] {"printf before > file", "chmod 600 file", "ln file link", "rm link", "mkdir d", "rmdir d"}) {
            Shell.run(upper, change);
            assertThat(layers().isUnchanged("quiet", "quiet-1")).as(change).isFalse();
            layers().remove("quiet-1");
            layers().snapshot("quiet", "quiet-1");
            assertThat(layers().isUnchanged("quiet", "quiet-1")).as("after %s", change).isTrue();
        }
        pool().copy("quiet", "quiet-copy");
        assertThat(layers().isUnchanged("quiet-copy", "quiet-1")).as("another tree").isFalse();
    }

    @Test
    default void aWriteIsSeenHoweverSoonItComesAfterTheLayer() throws IOException {
        Path file = tree("soon").resolve("file");
        try (Arena mapping = Arena.ofConfined();
                FileChannel open = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = open.map(FileChannel.MapMode.READ_WRITE, 0, 4096, mapping);
            for (int round = 0; round < 40; round++) {
                mapped.set(ValueLayout.JAVA_BYTE, 0, (byte) round);
                layers().snapshot("soon", "soon-1");
                if (round % 2 == 0) {
                    mapped.set(ValueLayout.JAVA_BYTE, 0, (byte) -1);
                } else {
                    open.write(ByteBuffer.wrap(new byte[] {-1}), 0);
                }
                assertThat(layers().isUnchanged("soon", "soon-1")).as("round %d", round).isFalse();
                layers().remove("soon-1");
            }
        }
    }

    @Test
    default void aLayerIsAsLargeAsItsDataAndOwnsWhatIsNew() throws IOException {
        Path upper = tree("sized");
        PoolContractTest.write(upper.resolve("old"), 8);
        Shell.run(upper, "truncate -s 100M hole");
        layers().snapshot("sized", "sized-1");
        PoolContractTest.write(upper.resolve("new"), 3);
        layers().snapshot("sized", "sized-2");
        LayerBytes first = layers().bytes("sized-1", Optional.empty());
        assertThat(first.total()).isEqualTo(first.own()).isBetween(8L << 20, (8L << 20) + (64 << 10));
        LayerBytes second = layers().bytes("sized-2", Optional.of("sized-1"));
        assertThat(second.total()).isBetween(11L << 20, (11L << 20) + (64 << 10));
        assertThat(second.own()).isEqualTo(isBtrfs() ? 3L << 20 : second.total());
        assertThat(layers().written("sized", Optional.of("sized-1"))).isBetween(second.own(), second.own() + (64 << 10));
        assertThat(layers().written("sized", Optional.empty())).isBetween(second.total(), second.total() + (64 << 10));
        tree("stranger");
        layers().snapshot("stranger", "stranger-1");
        LayerBytes foreign = layers().bytes("sized-2", Optional.of("stranger-1"));
        assertThat(foreign.own()).as("nothing shared with another tree's layer").isEqualTo(foreign.total());
    }

    @Test
    default void whatACrashLeftIsNoLayerAndIsSwept() throws IOException {
        Path directory = pool().path("any").resolveSibling(".");
        for (String name : new String[] {".layer-new.half", ".layer-trash.half", ".layer-passing.half"}) {
            Files.createDirectories(directory.resolve(name).resolve("upper/some"));
        }
        assertThat(layers().names()).doesNotContain("half");
        assertThat(pool().trees()).doesNotContain("half");
        layers().sweep();
        assertThat(hidden()).isEmpty();
    }

    @Test
    default void removingALayerFollowsNoLinkAndWorksTwice() throws IOException {
        Path upper = tree("linked");
        Path outside = Files.createTempDirectory("outside");
        Files.writeString(outside.resolve("flag"), "flag");
        Files.createSymbolicLink(upper.resolve("out"), outside);
        layers().snapshot("linked", "linked-1");
        layers().remove("linked-1");
        layers().remove("linked-1");
        assertThat(layers().path("linked-1")).doesNotExist();
        assertThat(outside.resolve("flag")).hasContent("flag");
        Shell.run(outside, "rm -r \"$1\"", outside);
    }

    @Test
    default void theLimitOfATreeIsNotEatenByItsLayers() throws IOException {
        Path upper = tree("overwritten");
        pool().limit("overwritten", 24 << 20);
        for (int round = 0; round < 4; round++) {
            PoolContractTest.write(upper.resolve("large"), 16);
            layers().snapshot("overwritten", "overwritten-" + round);
            pool().limit("overwritten", 24 << 20);
        }
        assertThat(upper.resolve("large")).hasSize(16 << 20);
        if (pool().canLimit()) {
            assertThatThrownBy(() -> PoolContractTest.write(upper.resolve("larger"), 64)).hasMessageContaining("Disk quota exceeded");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "../x", "a/b", "/a", "A", "a.b", "a\0b", "a\n", "-a"})
    default void hostileNamesOfLayersAreRefused(String name) throws IOException {
        assertThatIllegalArgumentException().isThrownBy(() -> layers().path(name));
        assertThatIllegalArgumentException().isThrownBy(() -> layers().snapshot("any", name));
        assertThatIllegalArgumentException().isThrownBy(() -> layers().snapshot(name, "any"));
        assertThatIllegalArgumentException().isThrownBy(() -> layers().settle(name));
        assertThatIllegalArgumentException().isThrownBy(() -> layers().isUnchanged(name, "any"));
        assertThatIllegalArgumentException().isThrownBy(() -> layers().remove(name));
    }

    private Layers layers() {
        return pool().layers();
    }

    private boolean isBtrfs() {
        return pool().status().kind().startsWith("btrfs");
    }

    /** A new tree as a sandbox has it; gives its upper directory. */
    private Path tree(String name) throws IOException {
        Path tree = pool().create(name);
        Files.createDirectory(tree.resolve("work"));
        return Files.createDirectory(tree.resolve("upper"));
    }

    private String hidden() {
        return Shell.run(pool().path("any").resolve("..").normalize(), "ls -A | grep '^.layer' || true");
    }
}
