package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes to the agent: a bounded queue of frames and the one thread that writes them. Thread-safe. The thread is a platform
 * thread, so that no caller's interrupt can close the channel and no blocked call holds a carrier of virtual threads.
 */
final class Outbox {
    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    static final Duration DEADLINE = Duration.ofSeconds(30);
    static final int QUEUED_FRAMES = 256;
    private static final int QUEUED_BYTES = QUEUED_FRAMES * Protocol.MAX_FRAME_BYTES;
    private static final int BATCH_BYTES = Protocol.MAX_LONG_FRAME_BYTES;

    private final String name;
    private final WritableByteChannel channel;
    private final Consumer<Throwable> broken;
    private final BlockingQueue<ByteBuffer> frames = new ArrayBlockingQueue<>(QUEUED_FRAMES);
    /** In turn, or short frames would keep long ones waiting. */
    private final Semaphore room = new Semaphore(QUEUED_BYTES, true);
    private final AtomicReference<@Nullable Hold> hold = new AtomicReference<>();
    private final Thread writer;
    private volatile @Nullable SandglassException lost;

    /** @param broken told when the channel cannot be written */
    Outbox(String name, WritableByteChannel channel, Consumer<Throwable> broken) {
        this.name = name;
        this.channel = channel;
        this.broken = broken;
        this.writer = Thread.ofPlatform().daemon().name("guest-writer-" + name).unstarted(this::write);
    }

    void open() {
        writer.start();
    }

    /** Sends a message, in as many frames as it needs. What the agent hears of one that is cut off is taken back; of one that never began there is nothing to say. */
    void send(int type, int stream, byte[] message) {
        ByteBuffer rest = ByteBuffer.wrap(message);
        boolean begun = false;
        try {
            while (rest.remaining() > Protocol.MAX_PAYLOAD_BYTES) {
                ByteBuffer part = rest.slice(rest.position(), Protocol.MAX_PAYLOAD_BYTES);
                rest.position(rest.position() + Protocol.MAX_PAYLOAD_BYTES);
                put(Frame.encode(type, true, stream, part));
                begun = true;
            }
            send(type, stream, rest);
        } catch (SandglassException cutOff) {
            if (begun && stream > 0) {
                takeBack(stream);
            }
            throw cutOff;
        }
    }

    /**
     * Takes a request back of which the agent hears a part; returns at once. To the agent anything but CLOSE would be the next part. There are never
     * more of these threads than frames that it has not read: each has one of its own in front of it.
     */
    void takeBack(int stream) {
        Thread.ofVirtual().start(() -> insist(Protocol.CLOSE, stream, new byte[0]));
    }

    void send(int type, int stream, ByteBuffer payload) {
        put(Frame.encode(type, false, stream, payload));
    }

    boolean isOpen() {
        return lost == null;
    }

    /** Sends what matters only while the link lasts; whether it was sent. */
    boolean sendIfOpen(int type, int stream, byte[] message) {
        try {
            send(type, stream, message);
            return true;
        } catch (SandglassException lostOrStuck) {
            LOG.debug("not sent to {}", name, lostOrStuck);
            return false;
        }
    }

    /** Sends it, however long the agent takes to hear, while the link lasts. */
    void insist(int type, int stream, byte[] message) {
        while (isOpen()) {
            try {
                send(type, stream, message);
                return;
            } catch (SandglassException lostOrStuck) {
                LOG.debug("not sent to {} yet", name, lostOrStuck);
            }
        }
    }

    /** Queues the bytes of a frame, or of small ones that go together; {@code guest_timeout} when the agent takes nothing, the loss when the link is lost. */
    void put(ByteBuffer frame) {
        try {
            SandglassException problem = lost;
            if (problem != null) {
                throw GuestStream.copyOf(problem);
            }
            if (!queue(frame)) {
                throw new SandglassException(
                        ErrorCode.GUEST_TIMEOUT,
                        "The agent of " + name + " has taken nothing for " + DEADLINE.toSeconds() + " s.",
                        "The sandbox may be out of processor time; look for what runs in it.");
            }
        } catch (InterruptedException stopped) {
            throw Futures.stopping(stopped);
        }
    }

    private boolean queue(ByteBuffer frame) throws InterruptedException {
        long end = System.nanoTime() + DEADLINE.toNanos();
        if (!room.tryAcquire(frame.remaining(), DEADLINE.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        boolean queued = false;
        try {
            queued = frames.offer(frame, end - System.nanoTime(), TimeUnit.NANOSECONDS);
            return queued;
        } finally {
            if (!queued) {
                room.release(frame.remaining());
            }
        }
    }

    /** Queues a frame behind which nothing is written until the hold is closed; there is one at a time. */
    Hold holdBehind(ByteBuffer frame) {
        Hold fresh = new Hold(frame);
        if (!hold.compareAndSet(null, fresh)) {
            throw new IllegalStateException("the link to " + name + " is held already");
        }
        try {
            put(frame);
            return fresh;
        } catch (RuntimeException unsent) {
            hold.set(null);
            throw unsent;
        }
    }

    void lose(SandglassException problem) {
        lost = problem;
        writer.interrupt();
        frames.clear();
        room.release(QUEUED_BYTES); // who waits is not told later
    }

    /** Several frames go in one write: the call costs more than what it carries. */
    private void write() {
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_BYTES);
        try {
            while (lost == null) {
                Hold stop = null;
                for (ByteBuffer frame = frames.take(); frame != null; frame = stop == null ? nextFor(batch) : null) {
                    room.release(frame.remaining());
                    batch.put(frame.duplicate());
                    stop = holdAt(frame);
                }
                batch.flip();
                while (batch.hasRemaining()) {
                    channel.write(batch);
                }
                batch.clear();
                if (stop != null) {
                    stop.await();
                    hold.set(null);
                }
            }
        } catch (InterruptedException closed) {
            return;
        } catch (IOException | RuntimeException | Error problem) {
            broken.accept(problem);
        }
    }

    private @Nullable Hold holdAt(ByteBuffer frame) {
        Hold current = hold.get();
        return current != null && current.isBehind(frame) ? current : null;
    }

    private @Nullable ByteBuffer nextFor(ByteBuffer batch) {
        ByteBuffer next = frames.peek();
        return next != null && next.remaining() <= batch.remaining() ? frames.poll() : null;
    }
}
