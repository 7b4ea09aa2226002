package dev.sandglass.server.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries Jetty's events of one WebSocket over to the threads of its conversation; public for Jetty alone. */
public final class SocketListener implements Session.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SocketListener.class);
    private static final Duration PING_EVERY = Duration.ofSeconds(30);
    private static final Duration GOODBYE = Duration.ofSeconds(5);
    private static final int UNSUPPORTED_DATA = 1003;

    private final Conversation conversation;
    private final InFlight inFlight;
    private final Duration patience;
    private final Departure departure = new Departure();
    private final AtomicBoolean taken = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable WebSocket socket;

    /**
     * In flight from here on: the handshake is answered before Jetty opens the socket, and a stop may come in between.
     *
     * @param call the one that becomes the socket
     */
    SocketListener(Conversation conversation, Departure call, InFlight inFlight, Duration patience) {
        this.conversation = conversation;
        this.patience = patience;
        this.inFlight = inFlight;
        departure.of(call.bearer());
        inFlight.begin(departure);
        if (call.happened()) { // what comes from now on comes to this one
            departure.happen();
        }
    }

    /** Ends it if it was never opened. */
    void abandon() {
        departure.happen();
        if (taken.compareAndSet(false, true)) {
            conversation.close();
            inFlight.end(departure);
        }
    }

    @Override
    public void onWebSocketOpen(Session session) {
        WebSocket opened = new WebSocket(session, departure, patience);
        socket = opened;
        if (!taken.compareAndSet(false, true)) {
            session.disconnect();
            return;
        }
        Thread.ofVirtual().name("websocket").start(() -> converse(session, opened));
        Thread.ofVirtual().name("websocket-ping").start(() -> ping(opened));
    }

    @Override
    public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
        byte[] message = new byte[payload.remaining()];
        payload.get(message);
        callback.succeed();
        WebSocket open = socket;
        if (open != null) {
            open.arrived(message);
        }
    }

    @Override
    public void onWebSocketText(String message) {
        WebSocket open = socket;
        if (open != null) {
            open.close(UNSUPPORTED_DATA, "binary messages only");
            departure.happen();
        }
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        LOG.debug("a WebSocket failed", cause);
        departure.depart();
        abandon();
    }

    @Override
    public void onWebSocketClose(int statusCode, @Nullable String reason, Callback callback) {
        closed.countDown();
        departure.depart();
        abandon();
        callback.succeed();
    }

    private void converse(Session session, WebSocket opened) {
        try (conversation) {
            conversation.run(opened);
            opened.close(WebSocket.NORMAL, "");
        } catch (InterruptedException | IOException left) {
            opened.close(inFlight.stopping() ? WebSocket.GOING_AWAY : WebSocket.NORMAL, inFlight.stopping() ? "shutting_down" : "");
        } catch (RuntimeException failure) {
            opened.close(WebSocket.SERVER_ERROR, Problems.unforeseen("a WebSocket", failure).what());
        } finally {
            departure.happen();
            part(session);
            inFlight.end(departure);
        }
    }

    /** Gives the client a moment to say goodbye too, then breaks the connection. */
    private void part(Session session) {
        try {
            if (!closed.await(GOODBYE.toMillis(), TimeUnit.MILLISECONDS)) {
                session.disconnect();
            }
        } catch (InterruptedException hurried) {
            session.disconnect();
        }
    }

    private static void ping(WebSocket opened) {
        try {
            while (true) {
                opened.await(() -> {
                    Thread.sleep(PING_EVERY);
                    return true;
                });
                opened.ping();
            }
        } catch (InterruptedException | IOException over) {
            LOG.trace("no more pings", over);
        }
    }
}
