package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.pool.Pool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

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
