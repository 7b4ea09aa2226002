package dev.sandglass.engine.life;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What fails again and again is tried less and less often. */
class PatienceTest {
    @Test
    void eachFailureDoublesTheWaitUpToABoundUntilItWorks() {
        Patience<String> patience = new Patience<>(Duration.ofSeconds(10), Duration.ofMinutes(1));
        assertThat(Stream.generate(() -> patience.failed("one").toSeconds()).limit(5)).containsExactly(10L, 20L, 40L, 60L, 60L);
        assertThat(patience.failed("other")).isEqualTo(Duration.ofSeconds(10));
        for (int i = 0; i < 100; i++) {
            assertThat(patience.failed("one")).isEqualTo(Duration.ofMinutes(1));
        }
        patience.forget("one");
        assertThat(patience.failed("one")).isEqualTo(Duration.ofSeconds(10));
    }
}
