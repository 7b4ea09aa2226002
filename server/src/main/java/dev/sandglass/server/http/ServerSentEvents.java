package dev.sandglass.server.http;

import dev.sandglass.wire.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** An answer of server-sent events, each sent at once. Nothing is queued for a client that does not read: it is dropped. */
public final class ServerSentEvents {
    private final OutputStream body;

    ServerSentEvents(OutputStream body) {
        this.body = body;
    }

    /** Tells where the client is, so that it comes back there even if nothing happens before it leaves. */
    public void begin(long id) throws IOException {
        write("id: " + id + "\n\n");
    }

    /** Sends an event with an id to come back to; blocks until the client has taken it. */
    public void send(long id, String type, Object data) throws IOException {
        write("id: " + id + "\nevent: " + type + "\ndata: " + Json.write(data) + "\n\n");
    }

    /** Sends data and nothing else: JSON that is written already, in one line. */
    public void send(byte[] json) throws IOException {
        write("data: " + new String(json, StandardCharsets.UTF_8) + "\n\n");
    }

    /** Sends what no client sees, so that both sides know that the other is there. */
    public void comment(String text) throws IOException {
        write(": " + text + "\n\n");
    }

    private void write(String text) throws IOException {
        body.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
