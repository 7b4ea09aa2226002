package dev.sandglass.client.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The server closed the WebSocket, with its code and reason. */
public final class ClosedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int code;

    ClosedException(byte[] payload) {
        super("the server closed the connection: "
                + (payload.length > 2 ? new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8) : "no reason"));
        this.code = payload.length < 2 ? 1005 : ((payload[0] & 0xff) << 8) | (payload[1] & 0xff);
    }

    public int code() {
        return code;
    }
}
