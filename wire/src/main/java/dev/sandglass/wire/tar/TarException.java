package dev.sandglass.wire.tar;

import java.io.IOException;

/** What is read is no tar archive, or not a whole one. */
public final class TarException extends IOException {
    TarException(String message) {
        super(message);
    }

    TarException(String message, Throwable cause) {
        super(message, cause);
    }
}
