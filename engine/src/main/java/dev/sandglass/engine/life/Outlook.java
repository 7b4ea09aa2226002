package dev.sandglass.engine.life;

import java.time.Instant;
import java.util.Optional;

/**
 * What will become of a sandbox if nothing else happens.
 *
 * @param rest when it is paused because nobody uses it; empty while somebody does
 * @param checkpoint when it is captured next
 */
record Outlook(Optional<Instant> rest, Optional<Instant> checkpoint) {
    static final Outlook NONE = new Outlook(Optional.empty(), Optional.empty());
}
