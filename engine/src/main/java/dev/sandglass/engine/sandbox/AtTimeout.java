package dev.sandglass.engine.sandbox;

import java.util.Optional;
import java.util.stream.Stream;

/** What becomes of a sandbox when its timeout is over. */
public enum AtTimeout {
    /** It is destroyed. */
    KILL("kill"),
    /** It is paused, with its processes where they can be kept. */
    PAUSE("pause"),
    /** Its processes end, and its disk is kept. */
    PAUSE_DISK("pause-disk");

    private final String text;

    AtTimeout(String text) {
        this.text = text;
    }

    /** As requests and answers have it. */
    public String text() {
        return text;
    }

    public static Optional<AtTimeout> of(String text) {
        return Stream.of(values()).filter(one -> one.text.equals(text)).findFirst();
    }
}
