package dev.sandglass.server.route;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;

/**
 * Connections over which no request that was let in is under way. They cost a stranger nothing, so they have a time that no trickle of bytes makes longer, and the one that has been so for the
 * longest goes when there is no room for another. Thread-safe.
 */
final class Arrivals implements Connection.Listener {
    private final Duration patience;
    /** Since when, the longest first. */
    private final Map<EndPoint, Long> waiting = new LinkedHashMap<>();

    /** @param patience from the end of an answer, or the beginning of a connection, until a request has been let in */
    Arrivals(Duration patience) {
        this.patience = patience;
    }

    @Override
    public void onOpened(Connection connection) {
        await(connection.getEndPoint());
    }

    @Override
    public synchronized void onClosed(Connection connection) {
        if (!connection.getEndPoint().isOpen()) {
            waiting.remove(connection.getEndPoint());
        }
    }

    /** The next request is awaited. */
    synchronized void await(EndPoint end) {
        waiting.remove(end); // to come last
        if (end.isOpen()) {
            waiting.put(end, System.nanoTime());
        }
    }

    /** A request is let in. */
    synchronized void letIn(EndPoint end) {
        waiting.remove(end);
    }

    /** Who has to go when somebody must. */
    synchronized Optional<EndPoint> oldest() {
        Iterator<EndPoint> ends = waiting.keySet().iterator();
        if (!ends.hasNext()) {
            return Optional.empty();
        }
        EndPoint oldest = ends.next();
        ends.remove();
        return Optional.of(oldest);
    }

    /** Closes those whose time is over. */
    void sweep() {
        late().forEach(EndPoint::close);
    }

    private synchronized List<EndPoint> late() {
        List<EndPoint> late = new ArrayList<>();
        long now = System.nanoTime();
        waiting.forEach((end, since) -> {
            if (!end.isOpen() || now - since > patience.toNanos()) {
                late.add(end);
            }
        });
        late.forEach(waiting::remove);
        return late;
    }
}
