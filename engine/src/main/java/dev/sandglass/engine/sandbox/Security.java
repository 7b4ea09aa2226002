package dev.sandglass.engine.sandbox;

import java.util.Locale;

/** The privilege profile of a sandbox: under {@code STRICT} no process can gain privileges, {@code STANDARD} allows sudo. */
public enum Security {
    STRICT,
    STANDARD;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
