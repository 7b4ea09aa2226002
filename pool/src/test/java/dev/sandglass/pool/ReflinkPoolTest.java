package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.Btrfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** On xfs where the host can make one, else on a btrfs that is used like it. */
class ReflinkPoolTest extends PoolContractTest {
    @Override
    Pool open(Path scratch) {
        return Pools.open(data(scratch), PoolOptions.of(PoolKind.REFLINK));
    }

    private static Path data(Path scratch) {
        if (Program.find("mkfs.xfs").isEmpty()) {
            Pool host = Pools.open(scratch, BtrfsLoopPoolTest.OPTIONS);
            return host.trees().contains("data") ? host.path("data") : host.create("data");
        }
        if (!Files.exists(scratch.resolve("xfs.img"))) {
            Shell.run(scratch, "truncate -s 3G xfs.img && mkfs.xfs -q -m reflink=1 xfs.img && mkdir xfs && mount -o loop xfs.img xfs");
        }
        return scratch.resolve("xfs/data");
    }

    @Override
    void close(Path scratch) {
        if (Files.exists(scratch.resolve("xfs.img"))) {
            Shell.run(scratch, "umount xfs || { ls -l /proc/[0-9]*/fd /proc/[0-9]*/cwd /proc/[0-9]*/map_files 2>/dev/null | grep /xfs; false; }");
        } else {
            Pools.unmount(scratch);
        }
    }

    @Override
    void reclaim(Path poolDirectory) throws IOException {
        if (Btrfs.isOn(poolDirectory)) {
            Btrfs.startCommit(poolDirectory);
        }
    }

    @Test
    void copiesShareTheirData() throws IOException {
        write(pool().create("shared").resolve("large"), 256);
        Shell.run(pool().path("shared"), "sync -f .");
        long before = pool().status().freeBytes();
        pool().copy("shared", "shared-copy");
        Shell.run(pool().path("shared"), "sync -f .");
        assertThat(before - pool().status().freeBytes()).isLessThan(64L << 20);
    }

    @Test
    void whatACrashLeftIsSeenAndCleanedUp() throws IOException {
        CopyPoolTest.assertLeftoversAreCleanedUp(pool(), directory(), () -> open(scratch));
    }
}
