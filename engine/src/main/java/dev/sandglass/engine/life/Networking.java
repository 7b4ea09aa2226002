package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.NetworkPolicy;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Which network a new sandbox gets. */
final class Networking {
    private static final String NONE = "none";

    private Networking() {}

    /**
     * What was asked for; else what its origin had, so that a copy reaches no more than that; else the default. Captured processes keep the link that they have, or none: it
     * cannot be given to them or taken away.
     */
    static Optional<Policy> of(CreateSandbox request, Optional<SnapshotRecord> from, Optional<SnapshotRecord.Memory> processes, Optional<Policy> otherwise) {
        NetworkPolicy asked = request.network();
        Optional<Policy> wanted = asked == null ? from.flatMap(SnapshotRecord::network).or(() -> otherwise) : of(asked);
        if (processes.isEmpty()) {
            return wanted;
        }
        boolean linked = processes.get().linked();
        if (asked != null && linked != wanted.isPresent()) {
            throw Continuation.differs("network", wanted.isPresent() ? "a link" : NONE, linked ? "a link" : NONE);
        }
        return linked ? Optional.of(wanted.orElse(Policy.NONE)) : Optional.empty();
    }

    /** The preset {@code none} alone is no network at all. */
    static Optional<Policy> of(NetworkPolicy asked) {
        boolean nothing = NONE.equals(asked.preset()) && Objects.requireNonNullElse(asked.rules(), List.of()).isEmpty();
        Policy policy = Policy.of(asked);
        return nothing ? Optional.empty() : Optional.of(policy);
    }
}
