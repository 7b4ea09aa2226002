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
    /** New readers for whom the agent was told to begin again and has not answered: it has no credit then, and gets none. */
    private int joining;
    /** The agent has begun again and waits for credit, be it little. */
    private boolean thirsty;
    /** A command that was read before: what was sent then may still be on its way. */
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
            wake(creditDue() > 0); // when they had had it, or are behind, none of them takes anything
        } finally {
            lock.unlock();
        }
    }

    /** An EXIT that overtook an ATTACH on its way comes before the output that was asked for; it comes again after it. */
    void end(GuestExit exit) throws ProtocolException {
        enqueue(new GuestEvent.Ended(exit), locked(() -> wasRead) ? exit.endOffset() : Long.MIN_VALUE);
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

    /** Nothing more comes: readers are told when they have taken what is there. */
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

    /**
     * Becomes a reader of a command's output from that offset on, beside those that there are. The agent begins again from the one
     * that is furthest behind, but sends nothing yet: what it had sent before must not be taken for the new reader's, and has
     * arrived when its answer has. Who fails to become a reader changes nothing for others.
     */
    GuestReader attach(long offset) {
        sending.lock();
        try {
            GuestReader reader = new GuestReader(stream, this, offset);
            boolean first = locked(() -> admit(reader));
            try {
                if (first) {
                    tap.open(offset, window);
                } else {
                    tap.reopen(locked(this::furthestBehind), () -> joined(reader));
                }
            } catch (SandglassException unsent) {
                locked(() -> turnAway(reader, first));
                throw unsent;
            }
            return reader;
        } finally {
            sending.unlock();
        }
    }

    /** Whether it is the first ever, for whom nothing else can be on its way. */
    private boolean admit(GuestReader reader) {
        if (lost != null) {
            throw GuestStream.copyOf(lost);
        }
        if (readers.size() >= MOST_READERS) {
            throw new SandglassException(
                    ErrorCode.LIMIT_REACHED,
                    "The command has " + MOST_READERS + " readers already.",
                    "Let one of them go; a reader that has lost its connection goes by itself.");
        }
        readers.add(reader);
        if (wasRead) {
            joining++;
            return false;
        }
        wasRead = true;
        creditGiven = window;
        reader.join();
        return true;
    }

    private boolean turnAway(GuestReader reader, boolean first) {
        joining -= first ? 0 : 1;
        return remove(reader);
    }

    /** The agent has begun again; told by the link's reader thread. */
    private void joined(GuestReader reader) {
        locked(() -> {
            joining--;
            creditGiven = 0;
            thirsty = true;
            reader.join();
            changed.signalAll();
            return true;
        });
    }

    /** The reader of a file operation or connection, whose first credit the caller sends. */
    GuestReader begin() {
        return locked(() -> {
            GuestReader reader = new GuestReader(stream, this, 0);
            reader.join();
            readers.add(reader);
            creditGiven = window;
            return reader;
        });
    }

    /** One reader less; when it was the last the command goes on, and its tail is kept. */
    void detach(GuestReader reader) {
        locked(() -> remove(reader));
    }

    /** Whoever is left gives credit; if nobody is, the agent is told by another thread, for who leaves is often interrupted. */
    private boolean remove(GuestReader reader) {
        if (!readers.remove(reader)) {
            return false;
        }
        reader.end();
        changed.signalAll();
        if (readers.isEmpty()) {
            Thread.ofVirtual().start(() -> {
                while (!shut()) {}
            });
        }
        return true;
    }

    /** Tells the agent that nobody reads, unless somebody does again; false when it has not taken it. */
    private boolean shut() {
        sending.lock();
        try {
            return locked(() -> !readers.isEmpty()) || tap.shut();
        } finally {
            sending.unlock();
        }
    }

    /** The next event for this reader; blocks for it, and gives credit for what it takes. {@code guest_timeout} when nothing comes. */
    GuestEvent next(GuestReader reader, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        for (long left = patience.toNanos(); left > 0; left = deadline - System.nanoTime()) {
            GuestEvent event = poll(reader, Math.min(left, LAG.toNanos()));
            if (event != null) {
                return event;
            }
        }
        throw GuestStream.standsStill(patience);
    }

    /** The next event, or {@code null} when none has come in that time or there was credit to give. */
    private @Nullable GuestEvent poll(GuestReader reader, long nanos) throws InterruptedException {
        GuestEvent event;
        boolean due;
        lock.lockInterruptibly();
        try {
            long began = System.nanoTime();
            long left = nanos;
            reader.resume();
            while (left > 0 && reader.isEmpty() && !reader.closed() && lost == null && creditDue() == 0) {
                left = changed.awaitNanos(left);
            }
            if (reader.closed()) {
                return new GuestEvent.Closed();
            }
            event = reader.poll();
            if (event == null && lost != null) {
                throw GuestStream.copyOf(lost);
            }
            if (event == null && left <= 0 && creditGiven == 0 && joining == 0) {
                readers.forEach(other -> other.skipUnlessReading(began)); // those hold up this one
            }
            due = creditDue() > 0;
        } finally {
            lock.unlock();
        }
        if (due) {
            giveCredit();
        }
        return event;
    }

    private long furthestBehind() {
        return readers.stream().mapToLong(GuestReader::position).min().orElseThrow();
    }

    /** As much as the slowest reader has room for, if that is a good part of the window. */
    private long creditDue() {
        if (readers.isEmpty() || joining > 0 || lost != null) {
            return 0;
        }
        long due = window - creditGiven - readers.stream().mapToLong(GuestReader::queued).max().orElse(0);
        return due >= (thirsty ? 1 : window / 2) ? due : 0;
    }

    private void giveCredit() {
        sending.lock();
        try {
            long credit = locked(() -> {
                long due = creditDue();
                creditGiven += due;
                return due;
            });
            boolean given = credit > 0 && tap.widen(credit);
            locked(() -> {
                if (given) {
                    thirsty = false;
                } else {
                    creditGiven -= credit;
                    wake(credit > 0); // another reader can: this one may be interrupted
                }
                return given;
            });
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
