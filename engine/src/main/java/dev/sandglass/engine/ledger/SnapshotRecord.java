package dev.sandglass.engine.ledger;

import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.Deadline;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.engine.sandbox.VolumeUse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A snapshot as the ledger has it.
 *
 * @param version goes up by one with each write; a write that finds another version is refused
 * @param parent the snapshot whose state the sandbox last had before this one
 * @param sandbox of which it was taken, whether that is still there or not
 * @param sandboxName what that was called then
 * @param runtime on which that ran
 * @param layers of the pool, top first, that lie between a new sandbox's tree and the image; the first is the snapshot's own, unless nothing
 *     had changed
 * @param bytes what is known of its size when it is whole
 * @param memory there if processes were captured with the disk
 * @param generation of the sandbox of which it was taken
 * @param expiry when it goes by itself
 * @param network what the sandbox might reach of which it was taken, and so may its copies
 * @param volumes those that the sandbox had of which it was taken; their content is no part of it
 * @param commandDefaults what commands of the sandbox got when nobody said otherwise, and so do those of its copies
 */
public record SnapshotRecord(
        SnapshotId id,
        long version,
        Optional<String> name,
        SnapshotPurpose purpose,
        SnapshotState state,
        Optional<SnapshotId> parent,
        SandboxId sandbox,
        String sandboxName,
        String runtime,
        String image,
        List<String> layers,
        Bytes bytes,
        Optional<Memory> memory,
        long generation,
        long pauseMicros,
        String description,
        Map<String, String> labels,
        Optional<Deadline> expiry,
        Instant createdAt,
        Optional<Policy> network,
        List<VolumeUse> volumes,
        CommandDefaults commandDefaults) {
    public SnapshotRecord {
        volumes = List.copyOf(volumes);
    }

    /**
     * How large a snapshot's disk is.
     *
     * @param own what came with it
     * @param layer all that its first layer holds
     * @param total all that its layers hold
     */
    public record Bytes(long own, long layer, long total) {
        public static final Bytes UNKNOWN = new Bytes(0, 0, 0);
    }

    /**
     * Processes with their memory, and what a sandbox needs in which they go on.
     *
     * @param bytes of the runtime's image
     * @param agent digest of the agent that is their PID 1
     * @param traits what must be the same where they go on
     */
    public record Memory(long bytes, String agent, Security security, Set<Capability> capabilities, Limits limits, Map<String, String> traits) {
        /** Whether they had joined a network: so must the sandbox in which they go on. */
        public boolean linked() {
            return traits.containsKey("network");
        }
    }

    /** The next version of this record: whole, standing on these layers. */
    public SnapshotRecord ready(List<String> itsLayers, Bytes itsBytes, Optional<Memory> itsMemory, long itsPauseMicros) {
        return next(SnapshotState.READY, itsLayers, itsBytes, itsMemory, itsPauseMicros);
    }

    /** The next version of this record, in which nothing new can be made from it. */
    public SnapshotRecord deleted() {
        return next(SnapshotState.DELETED, layers, bytes, memory, pauseMicros);
    }

    /** The same, of another instant: that at which its sandbox stood still. Not a version of its own. */
    public SnapshotRecord takenAt(Instant instant) {
        return new SnapshotRecord(
                id, version, name, purpose, state, parent, sandbox, sandboxName, runtime, image, layers, bytes, memory, generation, pauseMicros, description, labels, expiry, instant, network, volumes, commandDefaults);
    }

    /** The next version of this record: kept for whoever asks for it, by that name or none. */
    public SnapshotRecord kept(Optional<String> itsName) {
        return new SnapshotRecord(
                id, version + 1, itsName, SnapshotPurpose.KEPT, state, parent, sandbox, sandboxName, runtime, image, layers, bytes, memory, generation, pauseMicros, description, labels,
                expiry, createdAt, network, volumes, commandDefaults);
    }

    private SnapshotRecord next(
            SnapshotState itsState, List<String> itsLayers, Bytes itsBytes, Optional<Memory> itsMemory, long itsPauseMicros) {
        return new SnapshotRecord(
                id, version + 1, name, purpose, itsState, parent, sandbox, sandboxName, runtime, image, List.copyOf(itsLayers), itsBytes, itsMemory, generation, itsPauseMicros,
                description, labels, expiry, createdAt, network, volumes, commandDefaults);
    }
}
