package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.Build;
import java.util.List;
import java.util.Optional;

/** Builds, and the snapshots that their steps left for later ones. Thread-safe. */
public interface BuildLedger {
    /**
     * Keeps a build as it is now, in the place of what was kept of it. Of those that have ended the newest 200 are kept.
     *
     * @param log the end of what it printed
     */
    void keep(Build build, String log);

    Optional<Build> find(String id);

    /** The end of what a build printed. */
    Optional<String> log(String id);

    /** The newest, or those about something. */
    List<Build> list(Optional<String> subject, int limit);

    /** Those that are kept as running. */
    List<Build> open();

    /** The snapshot that was left by a step, with all steps before it, if it is ready; it counts as used now. */
    Optional<SnapshotId> step(String key);

    /** Notes what a step left; gives back what it takes the place of, and the least used ones of more than there may be. */
    List<SnapshotId> keepStep(String key, SnapshotId snapshot, int most);

    /** Forgets all of them, and gives back their snapshots. */
    List<SnapshotId> forgetSteps();
}
