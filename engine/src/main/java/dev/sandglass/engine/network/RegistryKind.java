package dev.sandglass.engine.network;

import java.util.Locale;
import java.util.Optional;

/** A kind of package registry; where the registries of a kind are is in the host's own configuration. */
public enum RegistryKind {
    APT,
    NPM,
    PIP,
    MAVEN;

    /** The kind that is written like this: {@code @npm}. */
    public static Optional<RegistryKind> parse(String text) {
        for (RegistryKind kind : values()) {
            if (kind.toString().equals(text)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return "@" + name().toLowerCase(Locale.ROOT);
    }
}
