package dev.sandglass.server;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for what must come, with far more patience than it needs. */
final class Eventually {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Eventually() {}

    static <T> T get(Supplier<T> value, Predicate<T> expected) {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(value::get, expected);
    }
}
