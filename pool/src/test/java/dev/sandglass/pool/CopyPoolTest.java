package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyPoolTest extends PoolContractTest {
    @Override
    Pool open(Path scratch) {
        return Pools.open(scratch, PoolOptions.of(PoolKind.COPY));
    }

    @Override
    void close(Path scratch) {
        assertThat(scratch.resolve("pool")).isEmptyDirectory();
    }

    @Override
    void reclaim(Path poolDirectory) {}

    @Test
    void itsStatusSaysWhatItCannotDo() {
        assertThat(pool().status().note()).contains("Disk limits do not hold", "btrfs");
        assertThat(pool().canLimit()).isFalse();
    }

    @Test
    void whatACrashLeftIsSeenAndCleanedUp() throws IOException {
        assertLeftoversAreCleanedUp(pool(), directory(), () -> open(scratch));
    }

    @Test
    void aFullDiskIsSaidAndLeavesNothing(@TempDir Path small) throws IOException {
        Shell.run(small, "mount -t tmpfs -o size=48m tmpfs .");
        try {
            Pool pool = open(small);
            Path upper = Files.createDirectory(pool.create("large").resolve("upper"));
            write(upper.resolve("file"), 30);
            assertThatThrownBy(() -> pool.layers().snapshot("large", "too-large"))
                    .isInstanceOf(SandglassException.class)
                    .extracting(problem -> ((SandglassException) problem).code())
                    .isEqualTo(ErrorCode.DISK_FULL);
            assertThat(Shell.run(small, "ls -A pool")).isEqualTo("large");
        } finally {
            Shell.run(scratch, "umount \"$1\"", small);
        }
    }

    @Test
    void aKillInTheMiddleOfASnapshotLeavesNoLayer() throws Exception {
        Path upper = Files.createDirectory(pool().create("killed").resolve("upper"));
        Shell.run(upper, "seq 20000 | xargs touch");
        Path making = directory().resolve(".layer-new.killed");
        Victim.killWhile(making.resolve("upper"), scratch, PoolKind.COPY, "snapshot");
        assertThat(making).exists();
        assertThat(pool().layers().names()).doesNotContain("killed");
        pool().layers().sweep();
        assertThat(making).doesNotExist();
        pool().layers().snapshot("killed", "killed");
        assertThat(Shell.run(pool().layers().lower("killed"), "ls | wc -l")).isEqualTo("20000");
    }

    static void assertLeftoversAreCleanedUp(Pool pool, Path directory, Supplier<Pool> reopen) throws IOException {
        Files.createDirectories(directory.resolve(".new-half-made/some/where"));
        Files.createDirectories(directory.resolve(".trash-half-removed/some/where"));
        Files.createDirectories(directory.resolve(".trash-gone/some/where"));
        assertThat(pool.trees()).contains("half-made", "half-removed", "gone");
        pool.remove("gone");
        assertThat(pool.trees()).doesNotContain("gone");
        assertThat(reopen.get().trees()).doesNotContain("half-made", "half-removed");
        assertThat(directory.resolve(".trash-half-removed")).doesNotExist();
    }
}
