package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.engine.sandbox.SnapshotId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is settled of a sandbox when its processes start: two of one shape differ only in what can be told to them later.
 *
 * @param memory the snapshot whose processes go on in it, if they do
 */
record Shape(String runtime, Security security, Set<Capability> capabilities, String image, String agent, List<String> layers, boolean linked, Optional<SnapshotId> memory) {
    /** @param memory whether the processes of the snapshot go on in it that it begins with */
    static Shape of(SandboxRecord record, boolean memory) {
        return new Shape(
                record.runtime(), record.security(), record.capabilities(), record.image(), record.agent(), record.lineage().layers(), record.network().isPresent(),
                memory ? record.lineage().at() : Optional.empty());
    }

    /** In what another differs from this, as a creator says it; empty if in nothing that he can say. */
    Optional<String> difference(Shape other) {
        if (!runtime.equals(other.runtime)) {
            return Optional.of("runtime");
        }
        if (!memory.equals(other.memory)) {
            return Optional.of("disk_only");
        }
        if (!security.equals(other.security)) {
            return Optional.of("security");
        }
        if (!capabilities.equals(other.capabilities)) {
            return Optional.of("capabilities");
        }
        return linked == other.linked ? Optional.empty() : Optional.of("network");
    }
}
