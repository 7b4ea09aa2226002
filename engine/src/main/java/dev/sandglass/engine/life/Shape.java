package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.Deadlines;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.Security;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is settled of a sandbox when its processes start: two of one shape differ only in what can be told to them later. */
record Shape(String runtime, Security security, Set<Capability> capabilities, Limits limits, String image, String agent, List<String> layers, boolean linked) {
    private static final String NOBODYS_NAME = "spare";

    static Shape of(SandboxRecord record) {
        return new Shape(record.runtime(), record.security(), record.capabilities(), record.limits(), record.image(), record.agent(), record.lineage().layers(), record.network().isPresent());
    }

    /** A sandbox of this shape that belongs to nobody and is in no ledger. */
    SandboxRecord anonymous(Generations generations) {
        return new SandboxRecord(
                SandboxId.random(),
                1,
                NOBODYS_NAME,
                new SandboxState.Creating(),
                runtime,
                security,
                capabilities,
                limits,
                Deadlines.NONE,
                Map.of(),
                Map.of(),
                image,
                agent,
                List.of(),
                Instant.EPOCH,
                Optional.empty(),
                layers.isEmpty() ? Lineage.OF_AN_IMAGE : Lineage.copy(Optional.empty(), layers, generations.next(0)),
                linked ? Optional.of(Policy.NONE) : Optional.empty(),
                Set.of(),
                List.of(),
                CommandDefaults.NONE);
    }
}
