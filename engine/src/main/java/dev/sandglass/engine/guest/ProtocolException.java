package dev.sandglass.engine.guest;

import java.io.IOException;

/** The agent, or whoever speaks in its place, broke a rule of the protocol. */
final class ProtocolException extends IOException {
    static final String USUAL_HINT = "The sandbox was tampered with from inside, or it ended; `sandglass inspect` tells.";
    private static final long serialVersionUID = 1L;

    private final String hint;

    ProtocolException(String message) {
        this(message, USUAL_HINT);
    }

    ProtocolException(String message, String hint) {
        super(message);
        this.hint = hint;
    }

    String hint() {
        return hint;
    }
}
