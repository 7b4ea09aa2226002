package dev.sandglass.runtime.gvisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The one pause of a kernel, however often it is asked for. The kernel counts and does not tell, so a file beside the sandbox
 * remembers; while it is in doubt, because a daemon died between word and deed, the kernel's threads are looked at.
 */
record SentryPause(Sentry sentry, Path memory) {
    private static final String DOUBT = "?";
    private static final String PAUSED = "paused";

    void begin() throws IOException {
        String known = known();
        if (known.equals(PAUSED)) {
            return;
        }
        if (known.isEmpty() || !sentry.isPaused()) {
            Files.writeString(memory, DOUBT);
            sentry.pause();
        }
        Files.writeString(memory, PAUSED);
    }

    void end() throws IOException {
        String known = known();
        if (known.isEmpty()) {
            return;
        }
        if (known.equals(PAUSED) || sentry.isPaused()) {
            Files.writeString(memory, DOUBT);
            sentry.resume();
        }
        Files.delete(memory);
    }

    /** Empty: it was never paused. */
    private String known() throws IOException {
        try {
            String text = Files.readString(memory);
            return text.equals(PAUSED) ? PAUSED : DOUBT; // a file that was just made may have nothing in it
        } catch (NoSuchFileException _) {
            return "";
        }
    }
}
