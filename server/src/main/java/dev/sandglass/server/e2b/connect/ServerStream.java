package dev.sandglass.server.e2b.connect;

import dev.sandglass.server.http.Call;
import dev.sandglass.server.http.Wait;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** A stream to a client, each message of which is sent at once, and one that says nothing where there was nothing to say for a while. Thread-safe. */
public final class ServerStream implements AutoCloseable {
    static final String MEDIA_TYPE = "application/connect+json";
    private static final int END = 2;

    private final Call call;
    private final OutputStream body;
    private final long keepaliveNanos;
    private final byte[] keepalive;
    private final long deadline;
    private final boolean limited;
    private final Runnable atDeadline;
    private long sentAt = System.nanoTime();
    private boolean expired;
    private boolean closed;

    private ServerStream(Call call, Duration keepalive, Object message, Optional<Duration> limit, Runnable atDeadline) {
        this.call = call;
        this.body = call.stream(200, MEDIA_TYPE, OptionalLong.empty());
        this.keepaliveNanos = keepalive.toNanos();
        this.keepalive = envelope(0, message);
        this.limited = limit.isPresent();
        this.deadline = System.nanoTime() + limit.orElse(Duration.ZERO).toNanos();
        this.atDeadline = atDeadline;
    }

    /** @param atDeadline done when the time is over, by another thread: it lets the stream end */
    static ServerStream begin(Call call, Duration keepalive, Object message, Optional<Duration> limit, Runnable atDeadline) throws IOException {
        ServerStream stream = new ServerStream(call, keepalive, message, limit, atDeadline);
        call.watchForDeparture();
        stream.body.write(new byte[0]); // the client learns that it has begun
        Thread.ofVirtual().name("keepalive").start(stream::keep);
        return stream;
    }

    /** A stream that tells an error and nothing else. */
    static void fail(Call call, RpcException problem) throws IOException {
        call.stream(200, MEDIA_TYPE, OptionalLong.empty()).write(envelope(END, new StreamEnd(problem.error())));
    }

    /** Sends a message; blocks until the client has taken it. */
    public synchronized void send(Object message) throws IOException {
        write(envelope(0, message));
    }

    synchronized void end(Optional<RpcException> problem) throws IOException {
        closed = true;
        write(envelope(END, new StreamEnd(problem.map(RpcException::error).orElse(null))));
    }

    /** Waits for something for as long as the client wants it. */
    public <T> T await(Wait<T> wait) throws IOException, InterruptedException {
        return call.await(wait);
    }

    /** Whether the time is over. */
    synchronized boolean expired() {
        return expired;
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    private void write(byte[] envelope) throws IOException {
        body.write(envelope);
        sentAt = System.nanoTime();
    }

    private void keep() {
        try {
            while (awaitDeadline()) {}
        } catch (IOException | InterruptedException left) {
            return; // who sends or waits learns of it as well
        }
        if (expired()) {
            atDeadline.run();
        }
    }

    /** Waits for what is due next; false when nothing will be. */
    private synchronized boolean awaitDeadline() throws IOException, InterruptedException {
        long now = System.nanoTime();
        if (closed || expired) {
            return false;
        }
        if (limited && now - deadline >= 0) {
            expired = true;
            return false;
        }
        long left = sentAt + keepaliveNanos - now;
        if (left <= 0) {
            write(keepalive);
        } else {
            TimeUnit.NANOSECONDS.timedWait(this, limited ? Math.min(left, deadline - now) : left);
        }
        return true;
    }

    private static byte[] envelope(int flags, Object message) {
        byte[] json = message instanceof byte[] written ? written : Json.bytes(message);
        return ByteBuffer.allocate(json.length + 5).put((byte) flags).putInt(json.length).put(json).array();
    }
}
