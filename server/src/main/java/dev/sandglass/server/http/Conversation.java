package dev.sandglass.server.http;

import java.io.IOException;

/** What is said over one WebSocket; closed in every case, also when the handshake did not come to its end. */
public interface Conversation extends AutoCloseable {
    /** Runs on a thread of its own until there is nothing left to say; the socket is closed afterwards. */
    void run(WebSocket socket) throws IOException, InterruptedException;

    @Override
    void close();
}
