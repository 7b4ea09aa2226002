package dev.sandglass.client.http;

import java.io.IOException;

/** The server answered a request for a WebSocket with something else. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient Response response;

    RefusedException(Response response) {
        super("the server answered " + response.status());
        this.response = response;
    }

    public Response response() {
        return response;
    }
}
