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
        Course course = new Course(NOW);
        assertThat(types(course, service(State.INACTIVE, 0, 0, null))).as("it was read from its file").isEmpty();
        assertThat(types(course, service(State.STARTING, 0, 0, null))).isEmpty();
        assertThat(types(course, service(State.RUNNING, 7, 0, Health.UNKNOWN))).containsExactly("service.started");
        assertThat(types(course, service(State.RUNNING, 7, 0, Health.HEALTHY))).containsExactly("service.healthy");
        assertThat(types(course, service(State.RUNNING, 7, 0, Health.HEALTHY))).isEmpty();
        assertThat(types(course, service(State.RUNNING, 7, 0, Health.UNHEALTHY))).containsExactly("service.unhealthy");
        assertThat(types(course, service(State.WAITING, 0, 0, null))).isEmpty();
        assertThat(types(course, service(State.STARTING, 0, 1, null))).isEmpty();
        assertThat(types(course, service(State.RUNNING, 8, 1, Health.UNKNOWN))).containsExactly("service.restarted");
        assertThat(types(course, service(State.RUNNING, 9, 1, Health.UNKNOWN))).as("by hand").containsExactly("service.started");
        assertThat(course.next(service(State.FAILED, 0, 1, null)))
                .containsExactly(new Change("service.failed", Map.of("service", "web", "reason", "why", "restarts", "1", "exit_code", "137")));
        assertThat(types(course, service(State.INACTIVE, 0, 1, null))).containsExactly("service.stopped");
    }

    /** It was told by the daemon before. */
    @Test
    void whatHappenedBeforeAnybodyListenedIsNoNews() {
        assertThat(types(new Course(NOW.plusSeconds(1)), service(State.RUNNING, 7, 0, Health.HEALTHY))).containsExactly("service.healthy");
        assertThat(types(new Course(NOW), service(State.RUNNING, 7, 0, null))).containsExactly("service.started");
        Course waiting = new Course(NOW.plusSeconds(1));
        assertThat(types(waiting, service(State.WAITING, 0, 3, null))).isEmpty();
        assertThat(types(waiting, service(State.RUNNING, 8, 4, null))).containsExactly("service.restarted");
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

    private static List<String> types(Course course, ServiceFacts now) {
        return course.next(now).stream().map(Change::type).toList();
    }

    private static ServiceFacts service(State state, long pid, long restarts, @Nullable Health health) {
        OptionalInt status = state == State.FAILED ? OptionalInt.of(-9) : OptionalInt.empty();
        return new ServiceFacts(
                "web", state, pid, NOW, restarts, status, Optional.empty(), true, 0, Optional.ofNullable(health), Optional.of("why"), Optional.empty(), List.of(),
                Optional.empty(), Optional.empty(), Optional.empty(), "no");
    }
}
