package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.BlockMount;
import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.BtrfsQuota;
import dev.sandglass.linux.LoopDevice;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BtrfsLoopPoolTest extends PoolContractTest {
    static final PoolOptions OPTIONS = PoolOptions.of(PoolKind.BTRFS_LOOP).imageBytes(3L << 30);

    @Override
    Pool open(Path scratch) {
        return Pools.open(scratch, OPTIONS);
    }

    @Override
    void close(Path scratch) {
        Pools.unmount(scratch);
        assertThat(Shell.run(scratch, "cat /proc/self/mounts")).doesNotContain(scratch.toString());
        assertThat(Shell.run(scratch, "cat /sys/block/loop*/loop/backing_file 2>/dev/null || true"))
                .doesNotContain(scratch.toString());
    }

    @Override
    void reclaim(Path poolDirectory) throws IOException {
        Btrfs.startCommit(poolDirectory);
    }

    @Test
    void nestedSubvolumesGoWithTheirTree() throws IOException {
        Path tree = pool().create("nest");
        for (int number = 0; number < 200; number++) {
            Btrfs.create(tree, "nested-" + number);
        }
        Btrfs.create(tree.resolve("nested-7"), "inner");
        Btrfs.create(tree.resolve("nested-7/inner"), "innermost");
        pool().seal("nest");
        pool().remove("nest");
        assertThat(tree).doesNotExist();
    }

    @Test
    void groupsOfRemovedTreesDoNotPileUp() throws IOException {
        BtrfsQuota quota = new BtrfsQuota(directory());
        int before = quota.groups().size();
        for (int number = 0; number < 20; number++) {
            pool().create("group-" + number);
            pool().limit("group-" + number, 1 << 30);
        }
        assertThat(quota.groups()).hasSizeGreaterThanOrEqualTo(before + 20);
        for (int number = 0; number < 20; number++) {
            pool().remove("group-" + number);
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            reclaim(directory());
            Pool swept = open(scratch);
            assertThat(quota.groups().size()).as(swept.status().kind()).isLessThan(before + 5);
        });
    }

    @Test
    void openingAgainUsesTheSameDevice() throws IOException {
        Path device = BlockMount.source(scratch.toRealPath().resolve("pool")).orElseThrow();
        open(scratch);
        assertThat(BlockMount.source(scratch.toRealPath().resolve("pool"))).contains(device);
        assertThat(Shell.run(scratch, "cat /sys/block/loop*/loop/backing_file | grep -cF \"$1\"", scratch.toRealPath()))
                .isEqualTo("1");
        assertThat(LoopDevice.backs(device, scratch.resolve("pool.img"))).isTrue();
    }

    @Test
    void theDeviceHasDirectIoAndWritesAreBounded() throws IOException {
        Path device = BlockMount.source(scratch.toRealPath().resolve("pool")).orElseThrow();
        Path sys = Path.of("/sys/block").resolve(device.getFileName());
        assertThat(sys.resolve("loop/dio")).hasContent("1\n");
        assertThat(sys.resolve("loop/autoclear")).hasContent("1\n");
        Path bdi = Path.of("/sys/fs/btrfs", Btrfs.filesystemId(directory()), "bdi");
        if (Files.exists(bdi.resolve("strict_limit"))) {
            assertThat(bdi.resolve("strict_limit")).hasContent("1\n");
        }
        assertThat(Shell.run(scratch, "grep -F \"$1\" /proc/self/mounts", scratch.toRealPath()))
                .contains("noatime", "nosuid", "nodev", "discard=async");
    }

    @Test
    void freedSpaceGoesBackToTheSparseFile() throws IOException {
        Path tree = pool().create("sparse");
        write(tree.resolve("large"), 256);
        Shell.run(tree, "sync -f .");
        long full = allocated();
        pool().remove("sparse");
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            reclaim(directory());
            // The kernel does this by itself, but takes two minutes.
            Shell.run(scratch, "fstrim pool");
            assertThat(allocated()).isLessThan(full - (200L << 20));
        });
    }

    @Test
    void aCrashWhileFormattingLeavesNoHalfFormattedPool(@TempDir Path other) throws IOException {
        Files.writeString(other.resolve("pool.img.new"), "garbage of a build that was killed");
        try {
            assertThat(open(other).create("tree")).isEmptyDirectory();
            assertThat(other.resolve("pool.img.new")).doesNotExist();
        } finally {
            Pools.unmount(other);
        }
        assertThat(Pools.open(other).trees()).as("chosen again, without being told").containsExactly("tree");
        Pools.unmount(other);
    }

    @Test
    void aForeignMountInItsPlaceIsRefused(@TempDir Path other) throws IOException {
        Path place = Files.createDirectory(other.resolve("pool"));
        Shell.run(other, "mount -t tmpfs tmpfs \"$1\"", place);
        try {
            assertThatThrownBy(() -> open(other))
                    .isInstanceOf(SandglassException.class)
                    .hasMessageContaining("is a mount of tmpfs");
        } finally {
            Shell.run(other, "umount \"$1\"", place);
        }
    }

    private long allocated() {
        return 512 * Long.parseLong(Shell.run(scratch, "stat -c %b pool.img"));
    }
}
