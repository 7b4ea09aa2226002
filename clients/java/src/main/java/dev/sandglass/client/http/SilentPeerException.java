package dev.sandglass.client.http;

import java.io.IOException;

/** The peer keeps the connection but has sent nothing for too long. */
public final class SilentPeerException extends IOException {
    private static final long serialVersionUID = 1L;

    SilentPeerException(long seconds) {
        super("no answer for " + seconds + " s");
    }
}
