package dev.sandglass.engine.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.guest.ServiceFacts;
import dev.sandglass.engine.guest.ServiceFacts.Health;
import dev.sandglass.engine.guest.ServiceFacts.State;
import dev.sandglass.engine.ledger.Change;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the ledger is told of services, and how much at most. */
class AnnouncementsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void everyTurnOfALifeIsToldOnce() {
        ServiceFacts starting = service(State.STARTING, 0, 0, null);
        ServiceFacts running = service(State.RUNNING, 7, 0, Health.UNKNOWN);
        ServiceFacts healthy = service(State.RUNNING, 7, 0, Health.HEALTHY);
        ServiceFacts waiting = service(State.WAITING, 0, 0, Health.UNKNOWN);
        ServiceFacts again = service(State.RUNNING, 8, 1, Health.UNKNOWN);
        assertThat(types(null, starting)).isEmpty();
        assertThat(types(starting, running)).containsExactly("service.started");
        assertThat(types(running, healthy)).containsExactly("service.healthy");
        assertThat(types(healthy, healthy)).isEmpty();
        assertThat(types(healthy, service(State.RUNNING, 7, 0, Health.UNHEALTHY))).containsExactly("service.unhealthy");
        assertThat(types(healthy, waiting)).isEmpty();
        assertThat(types(waiting, again)).containsExactly("service.restarted");
        assertThat(types(again, service(State.INACTIVE, 0, 1, null))).containsExactly("service.stopped");
        assertThat(Announcements.changes(again, service(State.FAILED, 0, 1, null), NOW))
                .containsExactly(new Change("service.failed", Map.of("service", "web", "reason", "why", "restarts", "1", "exit_code", "137")));
    }

    /** It was told by the daemon before. */
    @Test
    void whatHappenedBeforeAnybodyListenedIsNoNews() {
        ServiceFacts running = service(State.RUNNING, 7, 3, Health.HEALTHY);
        assertThat(Announcements.changes(null, running, NOW.plusSeconds(1)).stream().map(Change::type)).containsExactly("service.healthy");
        assertThat(types(null, service(State.RUNNING, 7, 0, null))).containsExactly("service.started");
    }

    @Test
    void oneThatFailsForEverIsToldOfLessAndLess() {
        Allowance allowance = new Allowance();
        int told = 0;
        long minute = Duration.ofMinutes(1).toNanos();
        for (int i = 0; i < 1000; i++) {
            told += allowance.take(-minute).isPresent() ? 1 : 0;
        }
        assertThat(told).isEqualTo(Allowance.AT_ONCE);
        assertThat(allowance.take(0)).as("what was left out is counted").hasValue(1000 - Allowance.AT_ONCE);
        assertThat(allowance.take(0)).isEmpty();
        assertThat(allowance.take(minute)).hasValue(1);
    }

    @Test
    void theLastLinesAreCounted() throws IOException {
        assertThat(tail("one\ntwo\nthree\n", 2)).isEqualTo("two\nthree\n");
        assertThat(tail("one\ntwo\nthr", 2)).isEqualTo("two\nthr");
        assertThat(tail("one\ntwo\n", 9)).isEqualTo("one\ntwo\n");
        assertThat(tail("\n\n\n", 1)).isEqualTo("\n");
        assertThat(tail("one\n", 0)).isEmpty();
        assertThat(tail("", 3)).isEmpty();
    }

    private static String tail(String text, int lines) throws IOException {
        return text.substring(text.length() - Tail.bytes(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), lines));
    }

    private static List<String> types(@Nullable ServiceFacts before, ServiceFacts now) {
        return Announcements.changes(before, now, NOW).stream().map(Change::type).toList();
    }

    private static ServiceFacts service(State state, long pid, long restarts, @Nullable Health health) {
        OptionalInt status = state == State.FAILED ? OptionalInt.of(-9) : OptionalInt.empty();
        return new ServiceFacts(
                "web", state, pid, NOW, restarts, status, Optional.empty(), true, 0, Optional.ofNullable(health), Optional.of("why"), Optional.empty(), List.of(),
                Optional.empty(), Optional.empty(), Optional.empty(), "no");
    }
}
