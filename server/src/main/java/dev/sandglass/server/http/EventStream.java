package dev.sandglass.server.http;

import dev.sandglass.wire.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** An answer of JSON lines, each sent at once. */
public final class EventStream {
    private final OutputStream body;

    EventStream(OutputStream body) {
        this.body = body;
    }

    /** Sends one line; blocks until the client has taken it. */
    public void send(Object event) throws IOException {
        byte[] json = Json.bytes(event);
        ByteArrayOutputStream line = new ByteArrayOutputStream(json.length + 1);
        line.write(json);
        line.write('\n');
        body.write(line.toByteArray());
    }
}
