package dev.sandglass.engine.sandbox;

import java.util.Optional;

/**
 * When a sandbox ends, rests or is captured without being told to.
 *
 * @param timeout it is destroyed or paused when it has run that long; begins anew when it is started, and does not count while it is stopped
 * @param hardTtl it is destroyed then, in whatever state
 * @param lifecycle what else becomes of it
 * @param idleFrom when it last was started or refreshed, or got another ttl: it has not been idle for longer; empty before it was started, and where an earlier version did that
 * @param checkpointFrom when it was started or its last checkpoint was taken: the next one is due that long after it; empty before it was started, and where an earlier version did that
 */
public record Deadlines(
        Optional<Deadline> timeout, Optional<Deadline> hardTtl, Lifecycle lifecycle, Optional<Moment> idleFrom, Optional<Moment> checkpointFrom) {
    public static final Deadlines NONE = of(Optional.empty(), Optional.empty(), Lifecycle.PLAIN);

    /** Those of a sandbox that was not started yet. */
    public static Deadlines of(Optional<Deadline> timeout, Optional<Deadline> hardTtl, Lifecycle lifecycle) {
        return new Deadlines(timeout, hardTtl, lifecycle, Optional.empty(), Optional.empty());
    }

    /** The same for a sandbox that begins to run now. */
    public Deadlines started(Moment now) {
        return new Deadlines(again(timeout, now), hardTtl, lifecycle, Optional.of(now), Optional.of(now));
    }

    /** The same with all times beginning anew. What is captured now and then is so however often that is said. */
    public Deadlines refreshed(Moment now) {
        return new Deadlines(again(timeout, now), again(hardTtl, now), lifecycle, Optional.of(now), checkpointFrom);
    }

    /** The same after a checkpoint. */
    public Deadlines checkpointed(Moment now) {
        return new Deadlines(timeout, hardTtl, lifecycle, idleFrom, Optional.of(now));
    }

    /** The same with other wishes. Checkpoints that are wanted otherwise are counted from now on. */
    public Deadlines revised(Optional<Deadline> otherTimeout, Optional<Deadline> otherHardTtl, Lifecycle other, Moment now) {
        boolean asBefore = other.checkpoints().map(Lifecycle.Checkpoints::every).equals(lifecycle.checkpoints().map(Lifecycle.Checkpoints::every));
        return new Deadlines(otherTimeout, otherHardTtl, other, idleFrom, asBefore ? checkpointFrom : Optional.of(now));
    }

    /** The same for a sandbox that counts as used now. */
    public Deadlines used(Moment now) {
        return new Deadlines(timeout, hardTtl, lifecycle, Optional.of(now), checkpointFrom);
    }

    private static Optional<Deadline> again(Optional<Deadline> old, Moment now) {
        return old.map(deadline -> Deadline.after(deadline.length(), now));
    }
}
