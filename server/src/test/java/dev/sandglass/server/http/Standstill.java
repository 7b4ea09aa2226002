package dev.sandglass.server.http;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Sees that somebody is held up. That nothing happens has no event, so a count is watched that has begun to grow and has stopped. */
final class Standstill {
    private static final Duration WATCHED = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Standstill() {}

    static void of(AtomicLong count) {
        AtomicLong before = new AtomicLong();
        await().during(WATCHED).atMost(PATIENCE).until(() -> {
            long now = count.get();
            return now > 0 && before.getAndSet(now) == now;
        });
    }
}
