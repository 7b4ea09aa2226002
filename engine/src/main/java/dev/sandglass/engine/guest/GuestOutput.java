package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What comes out of a stream, for all who read it. The link's reader thread adds to it and never waits: what is queued for a
 * reader is bounded by the credit that was given. The slowest reader sets the pace; one that holds others up for too long loses
 * what it has not taken, and sees that by the offset of what comes next. Thread-safe.
 */
final class GuestOutput {
    static final int MOST_READERS = 16;
    /** How long one reader may hold up others. */
    static final Duration LAG = Duration.ofSeconds(5);

    private final GuestStream stream;
    private final OutputTap tap;
    private final int window;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Held while who reads is changed and the agent is told, so that it hears of readers and credit in the order in which they came. */
    private final ReentrantLock sending = new ReentrantLock();
    private final List<GuestReader> readers = new ArrayList<>();
    /** What the agent may still send; with the longest queue never more than the window. */
    private long creditGiven;
    private volatile boolean ofCommand;
    private boolean wasRead;
    private @Nullable SandglassException lost;

    /** @param window how many bytes may be on their way or queued here */
    GuestOutput(GuestStream stream, OutputTap tap, int window) {
        this.stream = stream;
        this.tap = tap;
        this.window = window;
    }

    // -- for the link's reader thread

    void receive(ByteBuffer payload) throws ProtocolException {
        if (payload.remaining() < 9) {
            throw new ProtocolException("OUTPUT of " + payload.remaining() + " bytes (expected: >= 9)");
        }
        int kind = payload.get();
        long offset = payload.getLong();
        if (kind != 1 && kind != 2) {
            throw new ProtocolException("output kind: " + kind + " (expected: 1 or 2)");
        }
        lock.lock();
        try {
            if (readers.isEmpty()) {
                return; // sent before the agent saw that nobody reads any more
            }
            creditGiven -= payload.remaining();
            if (creditGiven < 0) {
                throw new ProtocolException("output beyond the credit on stream " + stream.number());
            }
            for (GuestReader reader : readers) {
                bound(reader);
                wake(reader.give(kind, offset, payload));
            }
        } finally {
            lock.unlock();
        }
    }

    /** An EXIT that overtook an ATTACH on its way comes before the output that was asked for; it comes again after it. */
    void end(GuestExit exit) throws ProtocolException {
        enqueue(new GuestEvent.Ended(exit), ofCommand ? exit.endOffset() : Long.MIN_VALUE);
    }

    void enqueue(GuestEvent event) throws ProtocolException {
        enqueue(event, Long.MIN_VALUE);
    }

    /** @param after not for those who have not come so far */
    private void enqueue(GuestEvent event, long after) throws ProtocolException {
        lock.lock();
        try {
            for (GuestReader reader : readers) {
                if (reader.position() >= after) {
                    bound(reader);
                    wake(reader.add(event));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Data is bounded by credit; a hostile agent could still send small or empty things without end. */
    private void bound(GuestReader reader) throws ProtocolException {
        if (reader.size() > window) {
            throw new ProtocolException("too many events on stream " + stream.number());
        }
    }

    private void wake(boolean waits) {
        if (waits) {
            changed.signalAll();
        }
    }

    void lose(SandglassException problem) {
        locked(() -> {
            lost = problem;
            changed.signalAll();
            return true;
        });
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    // -- for readers

    /** Becomes a reader of a command's output from that offset on, beside those that there are. */
    GuestReader attach(long offset) {
        sending.lock();
        try {
            quieten();
            GuestReader reader = new GuestReader(stream, this, offset);
            long from;
            long credit;
            lock.lock();
            try {
                readers.add(reader);
                ofCommand = true;
                wasRead = true;
                from = readers.stream().mapToLong(GuestReader::position).min().orElse(offset);
                credit = window - longestQueue();
                creditGiven = credit;
            } finally {
                lock.unlock();
            }
            tap.open(from, credit);
            return reader;
        } finally {
            sending.unlock();
        }
    }

    /**
     * What the agent had sent to others must not be taken for the new reader's: it is through when PONG is. Meanwhile nothing may be
     * lost for those others, so the agent is not told that they leave but that they take nothing.
     */
    private void quieten() {
        boolean before;
        long furthest;
        lock.lock();
        try {
            if (readers.size() >= MOST_READERS) {
                throw new SandglassException(
                        ErrorCode.LIMIT_REACHED,
                        "The command has " + MOST_READERS + " readers already.",
                        "Let one of them go; a reader that has lost its connection goes by itself.");
            }
            before = wasRead;
            furthest = readers.stream().mapToLong(GuestReader::position).max().orElse(-1);
        } finally {
            lock.unlock();
        }
        try {
            if (furthest >= 0) {
                tap.open(furthest, 0);
            }
            if (before) {
                tap.drain();
            }
        } catch (SandglassException deaf) {
            // Nobody knows what the agent sends to whom now: all begin anew.
            dismiss();
            tap.shut();
            throw deaf;
        }
    }

    /** The reader of a file operation or connection, whose first credit the caller sends. */
    GuestReader begin() {
        return locked(() -> {
            GuestReader reader = new GuestReader(stream, this, 0);
            readers.add(reader);
            creditGiven = window;
            return reader;
        });
    }

    /** One reader less; when it was the last the command goes on, and its tail is kept. */
    void detach(GuestReader reader) {
        sending.lock();
        try {
            boolean last;
            lock.lock();
            try {
                if (!readers.remove(reader)) {
                    return;
                }
                reader.end();
                changed.signalAll();
                last = readers.isEmpty();
            } finally {
                lock.unlock();
            }
            if (last) {
                tap.shut();
            } else {
                giveCredit();
            }
        } finally {
            sending.unlock();
        }
    }

    /** Whoever reads does no more; the agent is not told. */
    void dismiss() {
        locked(() -> {
            readers.forEach(GuestReader::end);
            readers.clear();
            changed.signalAll();
            return true;
        });
    }


    /** The next event for this reader; blocks for it, and gives credit for what it takes. {@code guest_timeout} when nothing comes. */
    GuestEvent next(GuestReader reader, Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        while (left > 0) {
            long round = Math.min(left, LAG.toNanos());
            GuestEvent event = poll(reader, round);
            if (event != null) {
                return event;
            }
            left -= round;
        }
        throw GuestStream.standsStill(patience);
    }

    /** The next event, or {@code null} when none has come in that time. */
    private @Nullable GuestEvent poll(GuestReader reader, long nanos) throws InterruptedException {
        GuestEvent event;
        boolean due;
        lock.lockInterruptibly();
        try {
            reader.resume();
            for (long left = nanos; left > 0 && reader.isEmpty() && !reader.closed() && lost == null; ) {
                left = changed.awaitNanos(left);
            }
            if (reader.closed()) {
                return new GuestEvent.Closed();
            }
            event = reader.poll();
            if (event == null && lost != null) {
                throw GuestStream.copyOf(lost);
            }
            if (event == null && creditGiven == 0) {
                readers.forEach(GuestReader::skip); // they hold up this one
            }
            due = creditDue() >= window / 2;
        } finally {
            lock.unlock();
        }
        if (due) {
            giveCredit();
        }
        return event;
    }

    private long longestQueue() {
        return readers.stream().mapToLong(GuestReader::queued).max().orElse(0);
    }

    private long creditDue() {
        return readers.isEmpty() ? 0 : window - creditGiven - longestQueue();
    }

    /** Lets the agent send as much as the slowest reader has room for, if that is a good part of the window. */
    private void giveCredit() {
        sending.lock();
        try {
            long credit = locked(() -> {
                long due = creditDue() >= window / 2 ? creditDue() : 0;
                creditGiven += due;
                return due;
            });
            if (credit > 0) {
                tap.widen(credit);
            }
        } finally {
            sending.unlock();
        }
    }

    boolean hasNext(GuestReader reader) {
        return locked(() -> !reader.isEmpty());
    }

    /** Why the request was refused, if it was. */
    Optional<GuestEvent.Refused> refusal() {
        return locked(() -> {
            if (lost != null) {
                throw GuestStream.copyOf(lost);
            }
            return !readers.isEmpty() && readers.getFirst().peek() instanceof GuestEvent.Refused refused
                    ? Optional.of(refused)
                    : Optional.empty();
        });
    }
}
