package dev.sandglass.engine.guest;

import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What comes out of a stream, for one reader at a time. The link's reader thread adds to it and never waits: what is queued is
 * bounded by the credit that was given. Thread-safe.
 */
final class GuestOutput {
    private static final long NOBODY = 0;

    private final int number;
    private final GuestLink link;
    private final int window;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Held while who reads is changed and the agent is told, so that it hears of readers in the order in which they came. */
    private final ReentrantLock sending = new ReentrantLock();
    private final ArrayDeque<GuestEvent> events = new ArrayDeque<>();
    private long creditGiven;
    private long consumed;
    private boolean attachedToCommand;
    private long received;
    private long reader = NOBODY;
    private long lastReader = NOBODY;
    private @Nullable SandglassException lost;

    /** @param window how many bytes may be on their way or queued here */
    GuestOutput(int number, GuestLink link, int window) {
        this.number = number;
        this.link = link;
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
            if (reader == NOBODY) {
                return; // sent before the agent saw that nobody reads any more
            }
            creditGiven -= payload.remaining();
            received = offset + payload.remaining();
            if (creditGiven < 0) {
                throw new ProtocolException("output beyond the credit on stream " + number);
            }
            add(new GuestEvent.Output(kind, offset, payload.slice()));
        } finally {
            lock.unlock();
        }
    }

    /** An EXIT that overtook an ATTACH on its way comes before the output that was asked for; it comes again after it. */
    void end(GuestExit exit) throws ProtocolException {
        lock.lock();
        try {
            if (!attachedToCommand || received >= exit.endOffset()) {
                add(new GuestEvent.Ended(exit));
            }
        } finally {
            lock.unlock();
        }
    }

    void enqueue(GuestEvent event) throws ProtocolException {
        lock.lock();
        try {
            add(event);
        } finally {
            lock.unlock();
        }
    }

    private void add(GuestEvent event) throws ProtocolException {
        // Data is bounded by credit; a hostile agent could still send empty outputs without end.
        if (events.size() > window) {
            throw new ProtocolException("too many events on stream " + number);
        }
        if (reader != NOBODY) {
            events.add(event);
            if (events.size() == 1) {
                changed.signalAll(); // else whoever reads is not waiting
            }
        }
    }

    void lose(SandglassException problem) {
        lock.lock();
        try {
            lost = problem;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // -- for readers

    /** Becomes the reader of a command's output from that offset on; the reader before gets {@code Replaced}. */
    long attach(long offset) {
        sending.lock();
        try {
            if (dismiss()) {
                // What the agent had sent to the reader before must not be taken for the new one's: it is through when PONG is.
                link.send(Protocol.DETACH, number);
                link.ping();
            }
            long token = begin(offset, true);
            link.send(Protocol.ATTACH, number, ByteBuffer.allocate(12).putLong(offset).putInt(window).array());
            return token;
        } finally {
            sending.unlock();
        }
    }

    /** Nobody reads from here on; whether somebody ever did. */
    private boolean dismiss() {
        lock.lock();
        try {
            reader = NOBODY;
            return lastReader != NOBODY;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the role of the reader of a file operation or connection and gives the first credit on the Java side. */
    void begin() {
        begin(0, false);
    }

    private long begin(long offset, boolean ofCommand) {
        lock.lock();
        try {
            events.clear();
            creditGiven = window;
            consumed = 0;
            received = offset;
            attachedToCommand = ofCommand;
            reader = ++lastReader;
            changed.signalAll();
            return reader;
        } finally {
            lock.unlock();
        }
    }

    /** Stops reading; a command goes on, its tail is kept. */
    void detach(long token) {
        sending.lock();
        try {
            if (leave(token)) {
                link.sendIfOpen(Protocol.DETACH, number, new byte[0]);
            }
        } finally {
            sending.unlock();
        }
    }

    /** Whoever reads does no more; the agent is not told. */
    void leave() {
        lock.lock();
        try {
            leave(lastReader);
        } finally {
            lock.unlock();
        }
    }

    private boolean leave(long token) {
        lock.lock();
        try {
            if (reader != token) {
                return false;
            }
            reader = NOBODY;
            events.clear();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Gives credit to this reader's stream, unless another has taken over: the agent would add it to the other's. */
    private void giveCredit(long token, long credit) {
        sending.lock();
        try {
            if (isReader(token)) {
                link.sendIfOpen(Protocol.CREDIT, number, ByteBuffer.allocate(4).putInt((int) credit).array());
            }
        } finally {
            sending.unlock();
        }
    }

    private boolean isReader(long token) {
        lock.lock();
        try {
            return reader == token;
        } finally {
            lock.unlock();
        }
    }

    /** The next event for this reader; blocks for it, and gives credit for what it takes. {@code guest_timeout} when nothing comes. */
    GuestEvent next(long token, Duration patience) throws InterruptedException {
        long nanos = patience.toNanos();
        GuestEvent event;
        long credit;
        lock.lockInterruptibly();
        try {
            while (reader == token && events.isEmpty() && lost == null) {
                if (nanos <= 0) {
                    throw GuestStream.standsStill(patience);
                }
                nanos = changed.awaitNanos(nanos);
            }
            if (reader != token) {
                return new GuestEvent.Replaced();
            }
            event = events.poll();
            if (event == null) {
                throw GuestStream.copyOf(lost);
            }
            credit = event instanceof GuestEvent.Output(_, _, ByteBuffer bytes) ? consume(bytes.remaining()) : 0;
        } finally {
            lock.unlock();
        }
        if (credit > 0) {
            giveCredit(token, credit);
        }
        return event;
    }

    /** How much credit to give now that these bytes were taken: none, or a good part of the window. */
    private long consume(int bytes) {
        consumed += bytes;
        if (consumed < window / 2) {
            return 0;
        }
        long credit = consumed;
        consumed = 0;
        creditGiven += credit;
        return credit;
    }

    /** Whether {@link #next} would return at once. */
    boolean hasNext() {
        lock.lock();
        try {
            return !events.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Why the request was refused, if it was. */
    Optional<GuestEvent.Refused> refusal() {
        lock.lock();
        try {
            if (lost != null) {
                throw GuestStream.copyOf(lost);
            }
            return events.peek() instanceof GuestEvent.Refused refused ? Optional.of(refused) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }
}
