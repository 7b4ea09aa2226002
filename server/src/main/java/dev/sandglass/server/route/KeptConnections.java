package dev.sandglass.server.route;

import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.port.PortConnection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Connections to programs in sandboxes that wait for the next request. They belong to the link over which they were made, so none is used after a pause, a rewind or for another
 * sandbox; and they are no use of it. Thread-safe.
 */
final class KeptConnections implements AutoCloseable {
    /** Shorter than servers keep them, usually, so that few requests meet an end. */
    static final Duration LONGEST = Duration.ofSeconds(4);
    private static final int MOST_OF_A_PORT = 16;
    private static final int MOST = 512;

    /** Of one link: another one to the same sandbox is another {@link LiveSandbox}. */
    private record Way(LiveSandbox sandbox, int port) {}

    private record Kept(PortConnection connection, long since) {
        boolean isOld() {
            return System.nanoTime() - since > LONGEST.toNanos();
        }
    }

    private final Map<Way, Deque<Kept>> kept = new HashMap<>();
    private int count;
    private boolean closed;

    /** One that nobody uses; the caller closes it, or gives it back. */
    Optional<PortConnection> take(LiveSandbox sandbox, int port) {
        for (Kept newest = poll(new Way(sandbox, port)); newest != null; newest = poll(new Way(sandbox, port))) {
            if (!newest.isOld() && newest.connection.wake()) {
                return Optional.of(newest.connection);
            }
            newest.connection.close();
        }
        return Optional.empty();
    }

    private synchronized @Nullable Kept poll(Way way) {
        Deque<Kept> waiting = kept.get(way);
        if (waiting == null) {
            return null;
        }
        Kept newest = waiting.pollLast();
        count--;
        if (waiting.isEmpty()) {
            kept.remove(way);
        }
        return newest;
    }

    /** Keeps one over which an answer has come to its end. */
    void give(PortConnection connection) {
        connection.rest();
        if (!add(connection)) {
            connection.close();
        }
    }

    private synchronized boolean add(PortConnection connection) {
        Way way = new Way(connection.sandbox(), connection.port());
        int waiting = kept.containsKey(way) ? kept.get(way).size() : 0;
        if (closed || count >= MOST || waiting >= MOST_OF_A_PORT) {
            return false;
        }
        count++;
        return kept.computeIfAbsent(way, _ -> new ArrayDeque<>()).add(new Kept(connection, System.nanoTime()));
    }

    /** Closes those that have waited for long. */
    void sweep() {
        remove(Kept::isOld);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        remove(_ -> true);
    }

    private void remove(Predicate<Kept> which) {
        List<Kept> gone = new ArrayList<>();
        synchronized (this) {
            for (Iterator<Deque<Kept>> ways = kept.values().iterator(); ways.hasNext(); ) {
                Deque<Kept> waiting = ways.next();
                waiting.removeIf(each -> which.test(each) && gone.add(each));
                if (waiting.isEmpty()) {
                    ways.remove();
                }
            }
            count -= gone.size();
        }
        gone.forEach(each -> each.connection.close());
    }
}
