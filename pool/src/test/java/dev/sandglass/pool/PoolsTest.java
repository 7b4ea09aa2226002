package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.SandglassException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolsTest {
    @TempDir
    Path data;

    @Test
    void anOrdinaryFilesystemGetsALoopFile() {
        try {
            assertThat(Pools.open(data).status())
                    .satisfies(status -> assertThat(status.kind()).isEqualTo("btrfs-loop"))
                    .satisfies(status -> assertThat(status.note()).isNull());
            long size = data.resolve("pool.img").toFile().length();
            assertThat(size).isBetween(2L << 30, 1L << 40);
        } finally {
            Pools.unmount(data);
        }
    }

    @Test
    void whereALoopFileCannotBeMadeItFallsBackAndSaysWhy() {
        PoolOptions tooSmall = PoolOptions.DEFAULT.imageBytes(1 << 20);
        assertThat(Pools.open(data, tooSmall).status())
                .satisfies(status -> assertThat(status.kind()).isEqualTo("copy"))
                .satisfies(status -> assertThat(status.note()).contains("no loop file with btrfs because", "too small"));
        assertThat(data.resolve("pool.img")).doesNotExist();
        assertThat(data.resolve("pool.img.new")).doesNotExist();
    }

    @Test
    void btrfsCanOnlyBeForcedWhereItIs() {
        assertThatThrownBy(() -> Pools.open(data, PoolOptions.of(PoolKind.BTRFS)))
                .isInstanceOf(SandglassException.class)
                .hasMessageContaining("is not on btrfs");
    }

    @Test
    void kindsAreNamedAsInConfiguration() {
        for (PoolKind kind : PoolKind.values()) {
            assertThat(PoolKind.of(kind.text())).isEqualTo(kind);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PoolKind.of("zfs"))
                .withMessage("pool kind: zfs (expected: btrfs, btrfs-loop, reflink or copy)");
    }

    @Test
    void unmountingWhatIsNotMountedIsFine() {
        Pools.unmount(data);
        Pools.unmount(data);
    }
}
