package dev.sandglass.engine.ledger;

import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.NetworkAttempt;
import java.util.Collection;
import java.util.List;

/** What sandboxes tried to reach: of each that is not destroyed the newest 1000. Thread-safe. */
public interface JourneyLedger {
    /** Adds them in this order; those of sandboxes that are gone are left out. The host may forget the last ones when it goes down. */
    void add(Collection<Journey> journeys);

    /** The first of a sandbox's behind an id. */
    Page read(SandboxId sandbox, long after, int limit);

    /**
     * Some of them, oldest first.
     *
     * @param gap whether some behind that id are no longer kept
     */
    record Page(List<NetworkAttempt> attempts, boolean gap) {}
}
