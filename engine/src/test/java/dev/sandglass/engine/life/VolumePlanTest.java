package dev.sandglass.engine.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.engine.sandbox.VolumeMode;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VolumePlanTest {
    private static final VolumeId ONE = VolumeId.random();
    private static final VolumeId TWO = VolumeId.random();
    private static final VolumeId THREE = VolumeId.random();

    private static VolumeUse use(VolumeId volume, int slot) {
        return new VolumeUse(volume, "volume", slot, "/data-" + volume.text(), VolumeMode.RW);
    }

    @Test
    void anotherVolumeIsNotWhatProcessesHadOpen() {
        assertThat(VolumePlan.known(List.of(use(TWO, 1), use(THREE, 2)), List.of(use(ONE, 1)))).containsExactly(use(THREE, 2), use(TWO, 3));
    }

    @Test
    void whatTheyHadIsWhereItWas() {
        assertThat(VolumePlan.known(List.of(use(TWO, 1), use(ONE, 3)), List.of(use(ONE, 1), use(THREE, 2)))).containsExactly(use(ONE, 1), use(TWO, 3));
        assertThat(VolumePlan.known(List.of(use(ONE, 1), use(TWO, 2)), List.of(use(ONE, 1), use(TWO, 2)))).containsExactly(use(ONE, 1), use(TWO, 2));
        assertThat(VolumePlan.known(List.of(use(ONE, 4)), List.of())).containsExactly(use(ONE, 4));
    }

    @Test
    void thereAreOnlySoMany() {
        List<VolumeUse> captured = IntStream.rangeClosed(1, VolumeUse.MOST).mapToObj(slot -> use(VolumeId.random(), slot)).toList();
        assertThatThrownBy(() -> VolumePlan.known(List.of(use(ONE, 1)), captured)).isInstanceOf(SandglassException.class).hasMessageContaining("other volumes");
    }
}
