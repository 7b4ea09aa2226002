package dev.sandglass.engine.guest;

import java.io.IOException;

/** The agent, or whoever speaks in its place, broke a rule of the protocol. */
final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    ProtocolException(String message) {
        super(message);
    }
}
