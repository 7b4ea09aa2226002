package dev.sandglass.engine.life;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Limits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Keeps one sandbox per runtime ahead, of the shape that was asked for twice in a row there: the next one like it only has to be named. Thread-safe. */
final class Spares implements AutoCloseable {
    /** A machine on which nothing is created any more must not pay for it. */
    private static final Duration KEPT = Duration.ofMinutes(10);

    /** No name of a pool begins so. */
    private static final String PREFIX = "~";

    /** What somebody wanted. */
    private record Wish(Shape shape, Limits limits) {}

    private final Stocks stocks;
    private final boolean kept;
    private final Map<String, Wish> asked = new HashMap<>();
    private final Map<String, ScheduledFuture<?>> ends = new HashMap<>();
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("habits").factory());
    private boolean closed;

    /** @param kept whether there are to be any */
    Spares(Stocks stocks, boolean kept) {
        this.stocks = stocks;
        this.kept = kept;
        clock.setRemoveOnCancelPolicy(true);
    }

    /** Notes that a sandbox was made; if it is like the one before, the next one is likely to be as well, and is made ahead. */
    synchronized void expectAnother(SandboxRecord made, Image image) {
        String runtime = made.runtime();
        Wish wish = new Wish(Shape.of(made, false), made.limits());
        boolean again = wish.equals(asked.put(runtime, wish));
        String name = PREFIX + runtime;
        if (!kept || closed || !again || stocks.isServed(made, name)) {
            return;
        }
        stocks.keepOne(name, Blueprint.like(made, image));
        @Nullable ScheduledFuture<?> before = ends.put(runtime, clock.schedule(() -> stocks.drop(name), KEPT.toSeconds(), TimeUnit.SECONDS));
        if (before != null) {
            before.cancel(false);
        }
    }

    /** Those that there are go with their stock. */
    @Override
    public synchronized void close() {
        closed = true;
        clock.shutdownNow();
    }
}
