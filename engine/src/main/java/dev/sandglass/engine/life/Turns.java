package dev.sandglass.engine.life;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets those that come with the same name do their work one after the other, and keeps nobody else waiting; a turn is there only while somebody has or wants it.
 * Thread-safe.
 */
public final class Turns<N> {
    /** A turn that lasts until it is closed. */
    public interface Taken extends AutoCloseable {
        @Override
        void close();
    }

    private static final class Turn {
        private final ReentrantLock lock = new ReentrantLock();
        private int takers;
    }

    private final Map<N, Turn> turns = new ConcurrentHashMap<>();

    /** Waits for as long as the others take, whose own waits are bounded. */
    public Taken take(N name) throws InterruptedException {
        Turn turn = turns.compute(name, (_, known) -> {
            Turn one = known == null ? new Turn() : known;
            one.takers++;
            return one;
        });
        try {
            turn.lock.lockInterruptibly();
        } catch (InterruptedException stopped) {
            leave(name);
            throw stopped;
        }
        return () -> {
            turn.lock.unlock();
            leave(name);
        };
    }

    private void leave(N name) {
        turns.computeIfPresent(name, (_, known) -> --known.takers == 0 ? null : known);
    }
}
