package dev.sandglass.engine.sandbox;

import java.time.Duration;
import java.util.Optional;

/**
 * What becomes of a sandbox that nobody looks after.
 *
 * @param atTimeout what happens when its timeout is over
 * @param ttl it is paused when nobody has used it for so long
 * @param autoResume whether its use lets it go on when it is paused
 * @param checkpoints how often it is captured
 * @param restarts whether it goes on from its last checkpoint when it ends by itself
 */
public record Lifecycle(
        AtTimeout atTimeout, Optional<Duration> ttl, boolean autoResume, Optional<Checkpoints> checkpoints, boolean restarts) {
    /** Nothing of all that. */
    public static final Lifecycle PLAIN = new Lifecycle(AtTimeout.KILL, Optional.empty(), false, Optional.empty(), false);

    /** @param keep so many of the last ones */
    public record Checkpoints(Duration every, int keep) {}
}
