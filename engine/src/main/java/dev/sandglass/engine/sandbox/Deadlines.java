package dev.sandglass.engine.sandbox;

import java.util.Optional;

/**
 * When a sandbox ends without being told to.
 *
 * @param timeout it is destroyed or paused when it has run that long; begins anew when it is started, and does not count while it is stopped
 * @param hardTtl it is destroyed then, in whatever state
 * @param lifecycle what else becomes of it
 */
public record Deadlines(Optional<Deadline> timeout, Optional<Deadline> hardTtl, Lifecycle lifecycle) {
    public static final Deadlines NONE = new Deadlines(Optional.empty(), Optional.empty(), Lifecycle.PLAIN);

    /** The same for a sandbox that begins to run now. */
    public Deadlines started(Moment now) {
        return new Deadlines(timeout.map(old -> Deadline.after(old.length(), now)), hardTtl, lifecycle);
    }

    /** The same with all times beginning anew. */
    public Deadlines refreshed(Moment now) {
        return new Deadlines(
                timeout.map(old -> Deadline.after(old.length(), now)), hardTtl.map(old -> Deadline.after(old.length(), now)), lifecycle);
    }
}
