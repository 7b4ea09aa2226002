package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.engine.sandbox.VolumeUse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The volumes that exist, and which sandboxes have them. It holds that no sandbox has one that is not there, and that none is written to by two who do not
 * know of each other. A call that returns is durable. Thread-safe.
 */
public interface VolumeLedger {
    /** The most that are kept. */
    int MOST = 10_000;

    /** A sandbox that has a volume. */
    record User(SandboxId id, String name, VolumeUse use) {}

    /** Adds one; {@code name_taken} if there is one of that name, {@code limit_reached} if there are as many as may be. */
    void insert(VolumeRecord volume);

    /** Writes that one is whole, from which moment on it stays. */
    void ready(VolumeId id);

    /** By name, id or unique prefix of one, among those that are whole; {@code volume_not_found}, {@code ambiguous_prefix}. */
    VolumeRecord resolve(String nameOrId);

    /** As {@link #resolve}, but that a name must be whole: for what cannot be undone. */
    VolumeRecord resolveWhole(String nameOrId);

    Optional<VolumeRecord> find(VolumeId id);

    /** The first of those that are wanted behind a position, oldest first, that are whole. */
    List<VolumeRecord> list(Optional<VolumePosition> after, Predicate<VolumeRecord> wanted, int limit);

    /** The sandboxes that have a volume; those that run are not the only ones. */
    List<User> users(VolumeId id);

    /** All volumes that sandboxes have. */
    Map<VolumeId, List<User>> users();

    /** Writes that one is being deleted, unless sandboxes have it: these are given back then, and nothing is done. Fine if it is not known. */
    List<User> delete(VolumeId id);

    /** Those that are not whole, or are being deleted. */
    List<VolumeRecord> unfinished();

    /** Nothing is left of one that was being deleted or made. */
    void forget(VolumeId id);
}
