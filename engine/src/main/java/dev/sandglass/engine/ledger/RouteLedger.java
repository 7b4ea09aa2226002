package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import java.util.List;

/** Routes of sandboxes, which go in the write that says that their sandbox is destroyed. Coming and going they are events. Thread-safe. */
public interface RouteLedger {
    /** The most that a sandbox has. */
    int MOST = 64;

    /**
     * Adds one; {@code name_taken} if its sandbox has one of that name, {@code limit_reached} if it has as many as may be, {@code sandbox_not_found} if it is
     * destroyed, or being so.
     *
     * @param change what is told of it
     */
    void insert(RouteRecord route, Change change);

    /** Replaces the one of that sandbox and name; {@code route_not_found}. */
    void replace(RouteRecord route);

    /** Removes one; {@code route_not_found}. */
    void remove(SandboxId sandbox, String name, Change change);

    /** All of them, by sandbox and name. */
    List<RouteRecord> all();

    /** Keeps the word of a port's links, in the place of the one of now; {@code sandbox_not_found} as {@link #insert}. */
    void keep(PortRecord port);

    /** The ports whose links were made worthless once. */
    List<PortRecord> ports();
}
