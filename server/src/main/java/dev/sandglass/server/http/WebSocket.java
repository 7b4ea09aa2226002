package dev.sandglass.server.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;

/**
 * An open WebSocket of binary messages, used with blocking calls: one thread receives, any thread sends.
 *
 * <p>One message is in flight in each direction, so a side that does not read holds the other one up; a client that has taken nothing
 * for too long is let go. Every call ends with {@code InterruptedException} once the socket is closed or the daemon stops.
 */
public final class WebSocket {
    /** Everything went well. */
    public static final int NORMAL = 1000;
    /** The daemon stops. */
    public static final int GOING_AWAY = 1001;
    /** The client sent what the conversation does not understand. */
    public static final int POLICY_VIOLATION = 1008;
    /** Something failed on this side. */
    public static final int SERVER_ERROR = 1011;

    private final Session session;
    private final Departure departure;
    private final Duration patience;
    private final BlockingQueue<byte[]> arrived = new ArrayBlockingQueue<>(1);
    private final Semaphore sending = new Semaphore(1);
    private boolean demanded;
    private boolean closing;

    WebSocket(Session session, Departure departure, Duration patience) {
        this.session = session;
        this.patience = patience;
        this.departure = departure;
    }

    /** The next message of the client. */
    public byte[] receive() throws IOException, InterruptedException {
        demand();
        return departure.await(arrived::take);
    }

    /** Sends a message whose first byte is its kind; blocks until the client's side has taken it. */
    public void send(int kind, byte[] payload) throws IOException, InterruptedException {
        ByteBuffer message = ByteBuffer.allocate(payload.length + 1).put((byte) kind).put(payload).flip();
        departure.await(() -> {
            sending.acquire();
            return true;
        });
        try {
            blocking(callback -> session.sendBinary(message, callback));
        } finally {
            sending.release();
        }
    }

    /** Waits for something for as long as the socket is open. */
    public <T> T await(Wait<T> wait) throws IOException, InterruptedException {
        return departure.await(wait);
    }

    /** Whether the client has closed its side, or its connection broke. */
    public boolean clientLeft() {
        return departure.departed();
    }

    /** Says goodbye; the first one counts. */
    public void close(int code, String reason) {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
        }
        session.close(code, reason, Callback.NOOP);
        demand();
    }

    void ping() throws IOException, InterruptedException {
        blocking(callback -> session.sendPing(ByteBuffer.allocate(0), callback));
    }

    /** Takes a message in; while closing it is dropped, and the client's own goodbye looked for. */
    void arrived(byte[] message) {
        boolean drop;
        synchronized (this) {
            demanded = false;
            drop = closing;
        }
        if (drop || !arrived.offer(message)) {
            demand();
        }
    }

    private void demand() {
        synchronized (this) {
            if (demanded || (!session.isOpen() && !closing)) {
                return;
            }
            demanded = true;
        }
        try {
            session.demand();
        } catch (RejectedExecutionException | IllegalStateException serverIsGone) {
            departure.happen();
        }
    }

    private void blocking(Consumer<Callback> operation) throws IOException, InterruptedException {
        Callback.Completable done = new Callback.Completable();
        operation.accept(done);
        boolean sent = departure.await(() -> {
            try {
                done.get(patience.toNanos(), TimeUnit.NANOSECONDS);
                return true;
            } catch (ExecutionException failed) {
                return false;
            } catch (TimeoutException stuck) {
                session.disconnect(); // a goodbye would wait behind what it does not take
                return false;
            }
        });
        if (!sent) {
            throw new IOException("the WebSocket's client is gone");
        }
    }
}
