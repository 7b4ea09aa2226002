package dev.sandglass.engine.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DeadlinesTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final Moment THEN = new Moment(NOON, "boot", Duration.ofHours(1));

    @Test
    void theWallClockDoesNotCountWithinABoot() {
        for (Duration jump : new Duration[] {Duration.ofDays(-400), Duration.ZERO, Duration.ofDays(400)}) {
            Moment now = new Moment(NOON.plus(jump), "boot", Duration.ofHours(1).plusSeconds(7));
            assertThat(now.since(THEN)).isEqualTo(Duration.ofSeconds(7));
        }
    }

    @Test
    void acrossABootItIsAllThereIs() {
        assertThat(new Moment(NOON.plusSeconds(7), "another", Duration.ofMinutes(1)).since(THEN)).isEqualTo(Duration.ofSeconds(7));
        assertThat(new Moment(NOON.minusSeconds(7), "another", Duration.ofMinutes(1)).since(THEN)).isEqualTo(Duration.ZERO);
    }

    @Test
    void checkpointsAreNotPutOffByWhoRefreshes() {
        Moment later = new Moment(NOON.plusSeconds(60), "boot", Duration.ofHours(1).plusSeconds(60));
        Deadlines refreshed = Deadlines.NONE.started(THEN).refreshed(later);
        assertThat(refreshed.idleFrom()).contains(later);
        assertThat(refreshed.checkpointFrom()).contains(THEN);
    }
}
