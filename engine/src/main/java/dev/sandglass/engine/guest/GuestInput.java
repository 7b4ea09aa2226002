package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What goes into a stream, within the credit that the agent gives. Thread-safe. */
final class GuestInput {
    private final int number;
    private final Outbox outbox;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile int longestFrame = Protocol.MAX_FRAME_BYTES;
    private long credit;
    private boolean closed;
    private @Nullable SandglassException lost;

    GuestInput(int number, Outbox outbox, long credit) {
        this.number = number;
        this.outbox = outbox;
        this.credit = credit;
    }

    /** Frames may be that long, with their headers. */
    void lengthen(int frameBytes) {
        longestFrame = frameBytes;
    }

    /** The agent takes that much more. */
    void addCredit(long bytes) {
        lock.lock();
        try {
            credit += bytes;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nothing can be written any more; whoever waits to is told. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void lose(SandglassException problem) {
        lock.lock();
        try {
            lost = problem;
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** {@code guest_timeout} when nothing was taken for that long, {@code stdin_closed} when it takes no more. */
    void write(byte[] bytes, int offset, int length, Duration patience) throws InterruptedException {
        int at = offset;
        while (at < offset + length) {
            int part = takeCredit(Math.min(offset + length - at, longestFrame - Protocol.HEADER_BYTES), patience);
            outbox.send(Protocol.DATA, number, ByteBuffer.wrap(bytes, at, part));
            at += part;
        }
    }

    /** A little credit is left until there is more, for a short frame costs as much as a long one. The agent never owes more than a quarter of its 64 KiB or more. */
    private int takeCredit(int wanted, Duration patience) throws InterruptedException {
        int least = Math.min(wanted, longestFrame / 2);
        long nanos = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (credit < least && !closed) {
                if (nanos <= 0) {
                    throw GuestStream.standsStill(patience);
                }
                nanos = changed.awaitNanos(nanos);
            }
            if (lost != null) {
                throw GuestStream.copyOf(lost);
            }
            if (closed) {
                throw new SandglassException(
                        ErrorCode.STDIN_CLOSED,
                        "The standard input of the command is closed.",
                        "It has ended, was started without standard input, or its input was ended.");
            }
            int part = (int) Math.min(credit, wanted);
            credit -= part;
            return part;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the answer to a connection request, credit to send or the end; false when the time is over. */
    boolean awaitCredit(Duration deadline) throws InterruptedException {
        long nanos = deadline.toNanos();
        lock.lockInterruptibly();
        try {
            while (credit == 0 && !closed) {
                if (nanos <= 0) {
                    return false;
                }
                nanos = changed.awaitNanos(nanos);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
