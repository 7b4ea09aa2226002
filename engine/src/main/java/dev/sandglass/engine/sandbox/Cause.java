package dev.sandglass.engine.sandbox;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What brought a sandbox to rest or to its end. */
public enum Cause {
    /** Somebody asked for it. */
    API,
    /** It had run as long as it may. */
    TIMEOUT,
    /** Nobody had used it for so long. */
    TTL,
    /** It had been there as long as it may. */
    HARD_TTL,
    /** It was not to be kept: its run was over, or what it was to be part of never came to be. */
    DISCARDED,
    /** It was turned back, and rests at what it is to be. */
    REWIND,
    /** It ended by itself, and rests at its last checkpoint. */
    RESTART,
    /** It was to go on and could not, or its daemon died meanwhile. */
    RESUME_FAILED;

    /** Empty for the word of another version. */
    public static Optional<Cause> of(String word) {
        return Arrays.stream(values()).filter(cause -> cause.text().equals(word)).findFirst();
    }

    /** Its word in API, CLI and ledger. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
