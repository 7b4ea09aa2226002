package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.Subvolume;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class BtrfsPoolTest extends PoolContractTest {
    @Override
    Pool open(Path scratch) {
        Pool host = Pools.open(scratch, BtrfsLoopPoolTest.OPTIONS);
        Path data = host.trees().contains("data") ? host.path("data") : host.create("data");
        return Pools.open(data);
    }

    @Override
    void close(Path scratch) {
        Pools.unmount(scratch);
    }

    @Override
    void reclaim(Path poolDirectory) throws IOException {
        Btrfs.startCommit(poolDirectory);
    }

    @Test
    void aDataDirectoryOnBtrfsIsUsedInPlace() {
        assertThat(pool().status().kind()).isEqualTo("btrfs");
    }

    @Test
    void theGenerationTellsWhetherATreeWasChanged() throws IOException {
        Path tree = pool().create("generation");
        Shell.run(tree, "sync -f .");
        long before = Subvolume.of(tree).generation();
        Shell.run(tree, "sync -f .");
        assertThat(Subvolume.of(tree).generation()).isEqualTo(before);
        Shell.run(tree, "touch file && sync -f .");
        assertThat(Subvolume.of(tree).generation()).isGreaterThan(before);
    }
}
