package dev.sandglass.cli.attach;

import dev.sandglass.client.http.WebSocket;
import dev.sandglass.wire.AttachControl;
import dev.sandglass.wire.Json;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The WebSocket of the moment: writers wait here while the connection is being made again. Thread-safe. */
final class Join {
    private static final int INPUT = 0;
    private static final int CONTROL = 3;

    private @Nullable WebSocket socket;
    private boolean begun;
    private boolean over;

    synchronized void opened(WebSocket opened) {
        socket = opened;
        begun = true;
        notifyAll();
    }

    /** The connection is gone; writers wait for the next one. */
    synchronized void broken() {
        close();
    }

    /** The command has ended; writers stop. */
    synchronized void over() {
        over = true;
        close();
        notifyAll();
    }

    /** Sends input, again on the next connection if this one breaks. False when there is nobody left to send it to. */
    boolean input(byte[] bytes, int length) {
        return send(INPUT, bytes, length);
    }

    boolean control(AttachControl control) {
        byte[] json = Json.bytes(control);
        return send(CONTROL, json, json.length);
    }

    /** Whether there was a connection and there is none at this moment. */
    synchronized boolean isBroken() {
        return begun && socket == null;
    }

    /** Keeps the connection alive; false when there is no more need to. */
    boolean ping() {
        WebSocket current;
        synchronized (this) {
            if (over) {
                return false;
            }
            current = socket;
        }
        if (current != null) {
            try {
                current.ping();
            } catch (IOException seenByTheReader) {
                return true;
            }
        }
        return true;
    }

    private boolean send(int kind, byte[] bytes, int length) {
        WebSocket failed = null;
        while (true) {
            WebSocket current = await(failed);
            if (current == null) {
                return false;
            }
            try {
                current.send(kind, bytes, 0, length);
                return true;
            } catch (IOException problem) {
                failed = current;
            }
        }
    }

    /** The open socket, other than the one that failed; null when the command has ended. */
    private synchronized @Nullable WebSocket await(@Nullable WebSocket failed) {
        while (!over && (socket == null || socket == failed)) {
            try {
                wait();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
        return over ? null : socket;
    }

    private void close() {
        WebSocket current = socket;
        socket = null;
        if (current != null) {
            try {
                current.close();
            } catch (IOException alreadyGone) {
                return;
            }
        }
    }
}
