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
     * What was asked for; of a copy what its origin had, none included, so that it reaches no more than that; else the default. Captured processes keep the link that they have, or none: it
     * cannot be given to them or taken away.
     */
    static Optional<Policy> of(CreateSandbox request, Optional<SnapshotRecord> from, Optional<SnapshotRecord.Memory> processes, Optional<Policy> otherwise) {
        NetworkPolicy asked = request.network();
        Optional<Policy> wanted = asked == null ? from.isPresent() ? from.get().network() : otherwise : of(asked);
        if (processes.isEmpty()) {
            return wanted;
        }
        boolean linked = processes.get().linked();
        if (asked != null) {
            Continuation.requireLink(processes.get(), wanted.isPresent());
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
