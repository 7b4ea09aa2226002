package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.network.HostName;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LatelyTest {
    private final AtomicLong clock = new AtomicLong();
    private final Lately lately = new Lately(Duration.ofSeconds(2), clock::get);

    @Test
    void aNameIsNewAgainAfterAMoment() {
        assertThat(lately.isNew(name(1))).isTrue();
        assertThat(lately.isNew(name(2))).isTrue();
        assertThat(lately.isNew(name(1))).isFalse();
        clock.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(lately.isNew(name(1))).isTrue();
    }

    @Test
    void theOldestOfVeryManyIsForgotten() {
        for (int number = 0; number < 65; number++) {
            assertThat(lately.isNew(name(number))).isTrue();
        }
        assertThat(lately.isNew(name(64))).isFalse();
        assertThat(lately.isNew(name(0))).isTrue();
    }

    private static HostName name(int number) {
        return new HostName("n" + number + ".example.org");
    }
}
