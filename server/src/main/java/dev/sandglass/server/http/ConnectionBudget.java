package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;

/** Counts the connections of a server and knows those that came when the house was full. Thread-safe. */
public final class ConnectionBudget implements Connection.Listener {
    /** Connections beyond the budget that are still accepted, to be told why they are refused. */
    private static final int REFUSED_AT_ONCE = 64;
    private static final Duration REFUSED_IDLE = Duration.ofSeconds(5);

    private final int limit;
    private final Supplier<Optional<EndPoint>> whoLeaves;
    private final Set<EndPoint> open = new HashSet<>();
    private final Set<EndPoint> refused = new HashSet<>();

    public ConnectionBudget(int limit) {
        this(limit, Optional::empty);
    }

    /** @param whoLeaves when the house is full: who makes room for the next one, if anybody does; must be quick */
    public ConnectionBudget(int limit, Supplier<Optional<EndPoint>> whoLeaves) {
        this.limit = limit;
        this.whoLeaves = whoLeaves;
    }

    @Override
    public void onOpened(Connection connection) {
        take(connection.getEndPoint()).ifPresent(EndPoint::close);
    }

    /** Who is to be closed for it, which may be itself. */
    private synchronized Optional<EndPoint> take(EndPoint end) {
        if (open.size() < limit || open.contains(end)) {
            open.add(end);
            return Optional.empty();
        }
        Optional<EndPoint> leaves = whoLeaves.get().filter(open::remove);
        if (leaves.isPresent()) {
            open.add(end);
            return leaves;
        }
        if (refused.size() < REFUSED_AT_ONCE) {
            refused.add(end);
            end.setIdleTimeout(REFUSED_IDLE.toMillis());
            return Optional.empty();
        }
        return Optional.of(end);
    }

    public synchronized int open() {
        return open.size();
    }

    /** Also called when a connection is upgraded to a WebSocket: its end point stays open then. */
    @Override
    public synchronized void onClosed(Connection connection) {
        EndPoint end = connection.getEndPoint();
        if (!end.isOpen()) {
            open.remove(end);
            refused.remove(end);
        }
    }

    public synchronized void check(EndPoint end) {
        if (refused.contains(end)) {
            throw new SandglassException(
                    ErrorCode.LIMIT_REACHED,
                    "The daemon has " + limit + " connections open (expected: fewer).",
                    "Close some, or use one connection for many requests.");
        }
    }
}
