package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.life.Turns;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Requests that are done once however often they come; whoever comes meanwhile with the same key waits for what becomes of the first. Thread-safe. */
final class KeyedRequests {
    private final Turns<String> turns = new Turns<>();

    /**
     * Does the work, unless the key has made something before.
     *
     * @param earlier what that is
     * @param work writes the key to the ledger together with what it makes; if it fails the key is free
     */
    <T> T once(Optional<IdempotencyKey> key, Function<IdempotencyKey, Optional<T>> earlier, Supplier<T> work) {
        if (key.isEmpty()) {
            return work.get();
        }
        try (Turns.Taken _ = turns.take(key.get().text())) {
            return earlier.apply(key.get()).orElseGet(work);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
    }
}
