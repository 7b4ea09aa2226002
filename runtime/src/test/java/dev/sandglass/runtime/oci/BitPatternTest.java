package dev.sandglass.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BitPatternTest {
    private static final List<Long> REFUSED = SeccompProfile.REFUSED_REQUESTS;
    private final List<BitPattern> patterns = BitPattern.allBut(REFUSED);

    @Test
    void matchesEveryNumberButTheRefusedOnes() {
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            long number = i < 70_000 ? i : Integer.toUnsignedLong(random.nextInt());
            assertThat(matches(number)).as(Long.toHexString(number)).isEqualTo(!REFUSED.contains(number));
        }
    }

    @Test
    void matchesNoneOfThose() {
        assertThat(REFUSED).noneMatch(this::matches);
        assertThat(patterns).as("a filter is gone through from the top").hasSizeLessThan(128);
    }

    @Test
    void looksAtTheLowHalfOnly() {
        assertThat(matches(0x5412L | 1L << 40)).isFalse();
        assertThat(matches(0x5413L | 1L << 40)).isTrue();
    }

    private boolean matches(long number) {
        return patterns.stream().anyMatch(pattern -> (number & pattern.mask()) == pattern.value());
    }
}
