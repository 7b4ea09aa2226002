package dev.sandglass.engine.sandbox;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a sandbox may do with a volume. */
public enum VolumeMode {
    /** Write to it, and nobody else does. */
    RW,
    /** Write to it beside others who say so too. */
    SHARED,
    /** Read it; the host forbids the rest. */
    RO;

    /** Whether two sandboxes may have a volume so at the same time: there is one who writes, or all who do know of each other. */
    public boolean goesWith(VolumeMode other) {
        return this == RO || other == RO || (this == SHARED && other == SHARED);
    }

    /** The mode's word in API, CLI and ledger. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<VolumeMode> of(String text) {
        return Arrays.stream(values()).filter(mode -> mode.text().equals(text)).findFirst();
    }
}
