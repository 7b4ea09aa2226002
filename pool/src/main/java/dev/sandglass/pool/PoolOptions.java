package dev.sandglass.pool;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What may be set about a pool.
 *
 * @param kind the one kind to use; without it the best that works
 * @param imageBytes the size of the loop file when it is first made; without it by the room there is
 */
public record PoolOptions(Optional<PoolKind> kind, OptionalLong imageBytes) {
    public static final PoolOptions DEFAULT = new PoolOptions(Optional.empty(), OptionalLong.empty());

    public static PoolOptions of(PoolKind kind) {
        return new PoolOptions(Optional.of(kind), OptionalLong.empty());
    }

    public PoolOptions imageBytes(long bytes) {
        return new PoolOptions(kind, OptionalLong.of(bytes));
    }
}
