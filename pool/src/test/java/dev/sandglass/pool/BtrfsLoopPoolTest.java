package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.MountTable;
import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.BtrfsQuota;
import dev.sandglass.linux.FileIdentity;
import dev.sandglass.linux.IdRange;
import dev.sandglass.linux.LoopDevice;
import dev.sandglass.linux.MountUsers;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.Overlay;
import dev.sandglass.linux.UserNamespace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
        // A process that copied the mount table meanwhile keeps the device for as long as it lives or lets go.
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(Shell.run(scratch, "cat /sys/block/loop*/loop/backing_file 2>/dev/null || true"))
                        .doesNotContain(scratch.toString()));
    }

    @Override
    void reclaim(Path poolDirectory) throws IOException {
        Btrfs.startCommit(poolDirectory);
    }

    @Override
    public int chainLength() {
        return 60;
    }

    /** As a sandbox in a user namespace has it: every layer with shifted ids. */
    @Override
    public void mapped(List<Path> lowers) throws IOException {
        Path tree = pool().create("mapped");
        Shell.run(tree, "mkdir upper work");
        Path binds = Files.createDirectory(scratch.resolve("binds"));
        Shell.run(scratch, "mount -t tmpfs -o mode=755 tmpfs binds");
        try (UserNamespace ids = UserNamespace.mapping(new IdRange(100_000, 65_536))) {
            List<Path> mapped = new ArrayList<>();
            for (Path lower : lowers) {
                mapped.add(bound(lower, binds.resolve(Integer.toString(mapped.size())), ids));
            }
            Path writable = bound(tree, binds.resolve("writable"), ids);
            Path root = Files.createDirectory(binds.resolve("root"));
            FileIdentity.as(100_000, () -> new Overlay(mapped, writable.resolve("upper"), writable.resolve("work")).mount(root, Set.of()));
            FileIdentity.as(100_000, () -> Files.writeString(root.resolve("new"), "written"));
            assertThat(Files.getAttribute(root.resolve("new"), "unix:uid")).isEqualTo(100_000);
            assertThat(Files.getAttribute(tree.resolve("upper/new"), "unix:uid")).isEqualTo(0);
        } finally {
            Mounts.detach(binds);
            Files.delete(binds);
        }
    }

    private static Path bound(Path source, Path target, UserNamespace ids) throws IOException {
        Mounts.bindMapped(source, Files.createDirectory(target), ids);
        return target;
    }

    @Test
    void aKillInTheMiddleOfACollapseLeavesNoLayer() throws Exception {
        Path upper = Files.createDirectory(pool().create("killed").resolve("upper"));
        Shell.run(upper, "seq 20000 | xargs touch");
        pool().layers().snapshot("killed", "whole");
        Path making = directory().resolve(".layer-new.killed");
        Victim.killWhile(making.resolve("upper"), scratch, PoolKind.BTRFS_LOOP, "collapse");
        assertThat(making).exists();
        assertThat(pool().layers().names()).doesNotContain("killed");
        pool().layers().sweep();
        assertThat(making).doesNotExist();
        pool().layers().collapse(List.of("whole"), "killed");
        assertThat(Shell.run(pool().layers().lower("killed"), "ls | wc -l")).isEqualTo("20000");
        assertThat(Btrfs.isReadOnly(pool().layers().path("killed"))).isTrue();
    }

    @Test
    void aFullDiskIsSaidAndLeavesNothing(@TempDir Path small) throws IOException {
        Pool pool = Pools.open(small, PoolOptions.of(PoolKind.BTRFS_LOOP).imageBytes(256 << 20));
        try {
            Path upper = Files.createDirectory(pool.create("full").resolve("upper"));
            Shell.run(upper, "dd if=/dev/zero of=large bs=1M 2>/dev/null || true; for f in $(seq 3000); do cat /etc/passwd > $f || break; done 2>/dev/null");
            for (String layer : List.of("one", "two")) {
                try {
                    pool.layers().settle("full");
                    pool.layers().snapshot("full", layer);
                    pool.layers().collapse(List.of(layer), layer + "-collapsed");
                } catch (SandglassException problem) {
                    assertThat(problem.code()).isEqualTo(ErrorCode.DISK_FULL);
                }
            }
            assertThat(Shell.run(small, "ls -A pool | grep '^.layer' || true")).isEmpty();
            pool.layers().names().forEach(pool.layers()::remove);
            pool.remove("full");
        } finally {
            Pools.unmount(small);
        }
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
        Set<Long> before = Set.copyOf(quota.groups());
        for (int number = 0; number < 20; number++) {
            Path tree = pool().create("group-" + number);
            pool().limit("group-" + number, 1 << 30);
            Btrfs.create(tree, "nested");
        }
        assertThat(quota.groups()).hasSizeGreaterThanOrEqualTo(before.size() + 40);
        for (int number = 0; number < 20; number++) {
            pool().remove("group-" + number);
        }
        groupsComeBackTo(before);
    }

    /** What a tree wrote is charged to it for as long as a layer has it. */
    @Test
    void theGroupOfATreeGoesWithTheLastThatHoldsItsBlocks() throws IOException {
        BtrfsQuota quota = new BtrfsQuota(directory());
        Set<Long> before = Set.copyOf(quota.groups());
        long id = Btrfs.id(pool().create("shared"));
        write(Files.createDirectory(pool().path("shared").resolve("upper")).resolve("data"), 1);
        pool().layers().snapshot("shared", "first");
        pool().layers().snapshot("shared", "second");
        pool().copy("shared", "copied");
        pool().remove("shared");
        await().atMost(Duration.ofMinutes(2)).until(() -> {
            reclaim(directory());
            return !Btrfs.exists(directory(), id);
        });
        pool().layers().remove("first");
        pool().remove("copied");
        pool().layers().remove("second");
        groupsComeBackTo(before);
    }

    @Test
    void theGroupOfATreeThatAnEarlierPoolRemovedGoesToo() throws IOException {
        BtrfsQuota quota = new BtrfsQuota(directory());
        Set<Long> before = Set.copyOf(quota.groups());
        write(Files.createDirectory(pool().create("earlier").resolve("upper")).resolve("data"), 1);
        pool().layers().snapshot("earlier", "later");
        Btrfs.destroy(directory(), "earlier"); // as by somebody who died right after it
        open(scratch).layers().remove("later");
        groupsComeBackTo(before);
    }

    private void groupsComeBackTo(Set<Long> before) throws IOException {
        BtrfsQuota quota = new BtrfsQuota(directory());
        await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            reclaim(directory());
            assertThat(before).containsAll(quota.groups());
        });
    }

    @Test
    void openingAgainUsesTheSameDevice() throws IOException {
        Path device = MountTable.source(scratch.toRealPath().resolve("pool")).orElseThrow();
        open(scratch);
        assertThat(MountTable.source(scratch.toRealPath().resolve("pool"))).contains(device);
        assertThat(Shell.run(scratch, "cat /sys/block/loop*/loop/backing_file | grep -cF \"$1\"", scratch.toRealPath()))
                .isEqualTo("1");
        assertThat(LoopDevice.backs(device, scratch.resolve("pool.img"))).isTrue();
    }

    @Test
    void theDeviceHasDirectIoAndWritesAreBounded() throws IOException {
        Path device = MountTable.source(scratch.toRealPath().resolve("pool")).orElseThrow();
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
    void whoKeepsItFromBeingUnmountedIsNamed() throws IOException {
        Path tree = pool().create("in-use");
        Path file = Files.writeString(tree.resolve("file"), "");
        Path real = scratch.toRealPath().resolve("pool");
        try (InputStream _ = Files.newInputStream(file)) {
            assertThat(MountUsers.of(real)).anySatisfy(user -> assertThat(user).startsWith("process " + ProcessHandle.current().pid() + " (").contains(" by fd/"));
        }
        Shell.run(scratch, "mkdir pool/in-use/below && mount -t tmpfs tmpfs pool/in-use/below");
        assertThat(MountUsers.of(real)).contains("the mount " + real.resolve("in-use/below"));
        Shell.run(scratch, "umount pool/in-use/below");
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
