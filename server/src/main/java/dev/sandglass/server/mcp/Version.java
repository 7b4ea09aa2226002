package dev.sandglass.server.mcp;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A revision of the protocol, the newest first. */
enum Version {
    V2026_07_28("2026-07-28", true),
    V2025_11_25("2025-11-25", false),
    V2025_06_18("2025-06-18", false),
    V2025_03_26("2025-03-26", false),
    V2024_11_05("2024-11-05", false);

    private final String text;
    private final boolean stateless;

    Version(String text, boolean stateless) {
        this.text = text;
        this.stateless = stateless;
    }

    static Optional<Version> of(String text) {
        return Arrays.stream(values()).filter(version -> version.text.equals(text)).findFirst();
    }

    /** What a client gets that begins with {@code initialize}: its own if that is known, else the newest that begins so. */
    static Version negotiated(String asked) {
        return of(asked).filter(version -> !version.stateless).orElse(V2025_11_25);
    }

    static List<String> all() {
        return Arrays.stream(values()).map(Version::text).toList();
    }

    String text() {
        return text;
    }

    /** Whether each request says by itself what its client is, and there is no session. */
    boolean stateless() {
        return stateless;
    }
}
