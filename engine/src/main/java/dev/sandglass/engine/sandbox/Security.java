package dev.sandglass.engine.sandbox;

import java.util.Locale;
import java.util.Optional;

/** The privilege profile of a sandbox: under {@code STRICT} no process can gain privileges, {@code STANDARD} allows sudo. */
public enum Security {
    STRICT,
    STANDARD;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The profile with that text. */
    public static Optional<Security> of(String text) {
        for (Security security : values()) {
            if (security.text().equals(text)) {
                return Optional.of(security);
            }
        }
        return Optional.empty();
    }
}
