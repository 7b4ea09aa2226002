package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;

/** Turns requests into WebSockets. Thread-safe. */
final class SocketUpgrade {
    /** The most that a message from a client may hold. */
    static final int MAX_MESSAGE_BYTES = 1 << 20;

    private final ServerWebSocketContainer container;
    private final InFlight inFlight;
    private final Duration patience;

    /** @param patience how long a client may take nothing of what is sent to it */
    SocketUpgrade(Server server, InFlight inFlight, Duration patience) {
        this.patience = patience;
        // Compression would let a small message grow large here, and costs more than it gives on the same machine.
        WebSocketServerComponents.ensureWebSocketComponents(server).getExtensionRegistry().unregister("permessage-deflate");
        this.container = ServerWebSocketContainer.ensure(server);
        this.inFlight = inFlight;
        container.setMaxBinaryMessageSize(MAX_MESSAGE_BYTES);
        container.setMaxTextMessageSize(MAX_MESSAGE_BYTES);
        container.setMaxFrameSize(MAX_MESSAGE_BYTES);
        // Being quiet is no fault: pings find out whether the client is still there, and what it does not take has a deadline of its own.
        container.setIdleTimeout(Duration.ZERO);
    }

    /** Answers the handshake; throws, with nothing answered, if it is none or the opening refuses. */
    void upgrade(Request request, Response response, Callback callback, Departure call, Supplier<Conversation> opening) {
        AtomicReference<SocketListener> opened = new AtomicReference<>();
        AtomicReference<RuntimeException> refused = new AtomicReference<>();
        Callback closing = Callback.from(callback::succeeded, failure -> {
            SocketListener unused = opened.get();
            if (unused != null) {
                unused.abandon();
            }
            callback.failed(failure);
        });
        boolean handled = container.upgrade(
                (upgradeRequest, upgradeResponse, upgradeCallback) -> {
                    try {
                        SocketListener listener = new SocketListener(opening.get(), call, inFlight, patience);
                        opened.set(listener);
                        return listener;
                    } catch (RuntimeException refusal) {
                        refused.set(refusal);
                        return null;
                    }
                },
                request,
                response,
                closing);
        RuntimeException refusal = refused.get();
        if (refusal != null) {
            throw refusal;
        }
        if (!handled) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "This operation is a WebSocket.", "Send a WebSocket handshake of version 13.");
        }
    }
}
