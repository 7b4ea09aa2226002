package dev.sandglass.engine.life;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.Deadlines;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What sandboxes are like that are started ahead.
 *
 * @param prototype one of them, which nobody has
 * @param memory the snapshot whose processes go on in them, if they do
 * @param warmUp what runs in each before it is ready, by a shell
 */
public record Blueprint(SandboxRecord prototype, Image image, Optional<SnapshotRecord> memory, Optional<String> warmUp) {
    static final String NOBODYS_NAME = "spare";

    /** Of sandboxes like one that was made, in which nothing of anybody runs. */
    static Blueprint like(SandboxRecord made, Image image) {
        SandboxRecord prototype = new SandboxRecord(
                made.id(),
                1,
                NOBODYS_NAME,
                new SandboxState.Creating(),
                made.runtime(),
                made.security(),
                made.capabilities(),
                made.limits(),
                Deadlines.NONE,
                Map.of(),
                Map.of(),
                made.image(),
                made.agent(),
                List.of(),
                Instant.EPOCH,
                Optional.empty(),
                made.lineage().layers().isEmpty() ? Lineage.OF_AN_IMAGE : Lineage.copy(Optional.empty(), made.lineage().layers(), made.lineage().generation()),
                made.network().map(_ -> Policy.NONE),
                Set.of(),
                List.of(),
                CommandDefaults.NONE);
        return new Blueprint(prototype, image, Optional.empty(), Optional.empty());
    }

    Shape shape() {
        return Shape.of(prototype, memory.isPresent());
    }

    /** Whether something has run in them that is not ours: what it has looked at must not be changed behind its back. */
    boolean isInhabited() {
        return memory.isPresent() || warmUp.isPresent();
    }

    /** Whether those of another are as good. */
    boolean isLike(Blueprint other) {
        return shape().equals(other.shape())
                && prototype.limits().equals(other.prototype.limits())
                && prototype.env().equals(other.prototype.env())
                && prototype.network().equals(other.prototype.network())
                && prototype.commandDefaults().equals(other.prototype.commandDefaults())
                && prototype.lineage().at().equals(other.prototype.lineage().at())
                && warmUp.equals(other.warmUp);
    }

    /** A sandbox like these that belongs to nobody and is in no ledger. */
    SandboxRecord anonymous(Generations generations) {
        boolean isCopy = !prototype.lineage().equals(Lineage.OF_AN_IMAGE);
        long generation = prototype.lineage().generation();
        return prototype.as(SandboxId.random(), isCopy ? generations.next(memory.map(SnapshotRecord::generation).orElse(generation)) : generation);
    }
}
