package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One command, file operation or connection on a link. The link's reader thread feeds it and never waits for it: what is
 * queued here is bounded by the credit that was given. One thread reads at a time, any may write.
 */
public final class GuestStream {
    /** A process that runs, its pid as seen inside. */
    public record Started(long pid, Instant at) {}

    private static final long NOT_ATTACHED = 0;
    private static final byte KILL = 9;
    /** For a command, which may be silent and may not read for as long as it likes. */
    private static final Duration FOR_EVER = Duration.ofDays(10_000);

    private final int number;
    private final GuestLink link;
    private final int window;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Held while who reads is changed and the agent is told, so that it hears of readers in the order in which they came. */
    private final ReentrantLock sending = new ReentrantLock();
    private final ArrayDeque<GuestEvent> events = new ArrayDeque<>();
    private final CompletableFuture<Started> started = new CompletableFuture<>();
    private final CompletableFuture<GuestExit> exit = new CompletableFuture<>();
    private long inputCredit;
    private boolean inputClosed;
    private long creditGiven;
    private long consumed;
    private boolean attachedToCommand;
    private long received;
    private long reader = NOT_ATTACHED;
    private long lastReader = NOT_ATTACHED;
    private @Nullable SandglassException lost;
    private LongSupplier oomKills = () -> 0;
    private long oomKillsBefore;

    /** @param window how many bytes of output may be on their way or queued here */
    GuestStream(int number, GuestLink link, int window, long inputCredit) {
        this.number = number;
        this.link = link;
        this.window = window;
        this.inputCredit = inputCredit;
    }

    public int number() {
        return number;
    }

    /** Completes when the process runs; exceptionally when it was refused. */
    public CompletableFuture<Started> started() {
        return started;
    }

    /** Completes when the process has ended, read or not; exceptionally when the sandbox is gone. */
    public CompletableFuture<GuestExit> exit() {
        return exit;
    }

    /** Whoever is killed while this number grows was killed because memory ran out. Called before anything is received. */
    void countKills(LongSupplier counter) {
        oomKills = counter;
        oomKillsBefore = counter.getAsLong();
    }

    /** The verdict is given here, once: later the number may have grown for others. */
    private GuestExit judged(GuestExit ended) {
        return ended.wasKilled() && !ended.timedOut() && oomKills.getAsLong() > oomKillsBefore ? ended.forMemory() : ended;
    }

    // -- for the link's reader thread

    void receive(Frame frame) throws ProtocolException {
        ByteBuffer payload = frame.payload();
        switch (frame.type()) {
            case Protocol.STARTED -> {
                require(payload, 12);
                started.complete(new Started(Integer.toUnsignedLong(payload.getInt()), GuestExit.timeOf(payload.getLong())));
            }
            case Protocol.OUTPUT -> output(payload);
            case Protocol.INPUT_CREDIT -> {
                require(payload, 4);
                addInputCredit(Integer.toUnsignedLong(payload.getInt()));
            }
            case Protocol.INPUT_EOF -> enqueue(new GuestEvent.Eof());
            case Protocol.EXIT -> {
                GuestExit ended = judged(GuestExit.decode(payload));
                closeInput();
                exit.complete(ended); // first: who reads the end must find the command finished
                if (readTo(ended.endOffset())) {
                    enqueue(new GuestEvent.Ended(ended));
                }
            }
            case Protocol.ERROR -> refused(payload);
            default -> throw new ProtocolException("type " + frame.type() + " on stream " + number);
        }
    }

    private void output(ByteBuffer payload) throws ProtocolException {
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
            if (reader == NOT_ATTACHED) {
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
    private boolean readTo(long endOffset) {
        lock.lock();
        try {
            return !attachedToCommand || received >= endOffset;
        } finally {
            lock.unlock();
        }
    }

    private void refused(ByteBuffer payload) throws ProtocolException {
        int least = link.tellsRefusals() ? 5 : 4;
        if (payload.remaining() < least) {
            throw new ProtocolException("ERROR of " + payload.remaining() + " bytes (expected: >= " + least + ")");
        }
        int errno = payload.getInt();
        int number = least == 5 ? Byte.toUnsignedInt(payload.get()) : -1;
        String text = StandardCharsets.UTF_8.decode(payload).toString();
        GuestEvent.Refused refusal = new GuestEvent.Refused(errno, number < 0 ? Refusal.guess(text) : Refusal.of(number), text);
        link.forget(this);
        enqueue(refusal);
        closeInput();
        SandglassException problem = Errno.commandRefused(refusal);
        started.completeExceptionally(problem);
        exit.completeExceptionally(problem);
    }

    void lose(SandglassException problem) {
        lock.lock();
        try {
            lost = problem;
            inputClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        started.completeExceptionally(problem);
        exit.completeExceptionally(problem);
    }

    void adopted(Started process, @Nullable GuestExit ended, boolean inputOpen) {
        started.complete(process);
        if (!inputOpen) {
            closeInput();
        }
        if (ended != null) {
            exit.complete(ended);
        }
    }

    private void enqueue(GuestEvent event) throws ProtocolException {
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
        if (reader != NOT_ATTACHED) {
            events.add(event);
            if (events.size() == 1) {
                changed.signalAll(); // else whoever reads is not waiting
            }
        }
    }

    private void addInputCredit(long bytes) {
        lock.lock();
        try {
            inputCredit += bytes;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nothing can be written any more; whoever waits to is told. */
    void closeInput() {
        lock.lock();
        try {
            inputClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // -- for readers

    /** Becomes the reader of a command's output from that offset on; the reader before gets {@code Replaced}. */
    public long attach(long offset) {
        sending.lock();
        try {
            return attachAlone(offset);
        } finally {
            sending.unlock();
        }
    }

    private long attachAlone(long offset) {
        boolean wasAttached;
        lock.lock();
        try {
            wasAttached = lastReader != NOT_ATTACHED;
            reader = NOT_ATTACHED;
        } finally {
            lock.unlock();
        }
        if (wasAttached) {
            // What the agent had sent to the reader before must not be taken for the new one's: it is through when PONG is.
            link.send(Protocol.DETACH, number);
            link.ping();
        }
        long token = beginReading();
        lock.lock();
        try {
            attachedToCommand = true;
            received = offset;
        } finally {
            lock.unlock();
        }
        link.send(
                Protocol.ATTACH, number, ByteBuffer.allocate(12).putLong(offset).putInt(window).array());
        return token;
    }

    /** Where the output ends at this moment. */
    public long endOffset() {
        return link.query(number);
    }

    /** Takes the role of the reader and gives the first credit on the Java side. */
    long beginReading() {
        lock.lock();
        try {
            events.clear();
            creditGiven = window;
            consumed = 0;
            reader = ++lastReader;
            changed.signalAll();
            return reader;
        } finally {
            lock.unlock();
        }
    }

    /** Stops reading; the command goes on, its tail is kept. */
    public void detach(long token) {
        sending.lock();
        try {
            if (leave(token)) {
                link.sendIfOpen(Protocol.DETACH, number, new byte[0]);
            }
        } finally {
            sending.unlock();
        }
    }

    private boolean leave(long token) {
        lock.lock();
        try {
            if (reader != token) {
                return false;
            }
            reader = NOT_ATTACHED;
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

    /** The next event for this reader; blocks for it, and gives credit for what it takes. */
    public GuestEvent next(long token) throws InterruptedException {
        return next(token, FOR_EVER);
    }

    /** The same, but {@code guest_timeout} when nothing has come for that long. */
    GuestEvent next(long token, Duration patience) throws InterruptedException {
        long nanos = patience.toNanos();
        GuestEvent event;
        long credit = 0;
        lock.lockInterruptibly();
        try {
            while (reader == token && events.isEmpty() && lost == null) {
                nanos = awaitChange(nanos, patience);
            }
            if (reader != token) {
                return new GuestEvent.Replaced();
            }
            event = events.poll();
            if (event == null) {
                throw copyOf(lost);
            }
            if (event instanceof GuestEvent.Output(_, _, ByteBuffer bytes)) {
                consumed += bytes.remaining();
                if (consumed >= window / 2) {
                    credit = consumed;
                    consumed = 0;
                    creditGiven += credit;
                }
            }
        } finally {
            lock.unlock();
        }
        if (credit > 0) {
            giveCredit(token, credit);
        }
        return event;
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

    // -- for writers

    /** Sends input; waits while the process does not take it. {@code stdin_closed} when it has no input any more. */
    public void write(byte[] bytes, int offset, int length) throws InterruptedException {
        write(bytes, offset, length, FOR_EVER);
    }

    /** The same, but {@code guest_timeout} when nothing was taken for that long. */
    void write(byte[] bytes, int offset, int length, Duration patience) throws InterruptedException {
        int at = offset;
        while (at < offset + length) {
            int part = takeInputCredit(Math.min(offset + length - at, Protocol.MAX_PAYLOAD_BYTES), patience);
            link.send(Protocol.DATA, number, ByteBuffer.wrap(bytes, at, part));
            at += part;
        }
    }

    @SuppressWarnings("WaitNotInLoop") // the callers loop
    private long awaitChange(long nanos, Duration patience) throws InterruptedException {
        if (nanos <= 0) {
            throw new SandglassException(
                    ErrorCode.GUEST_TIMEOUT,
                    "The sandbox has not gone on with it for " + patience.toSeconds() + " s.",
                    "The sandbox may be out of processor time, or its disk hangs; look for what runs in it.");
        }
        return changed.awaitNanos(nanos);
    }

    private int takeInputCredit(int wanted, Duration patience) throws InterruptedException {
        long nanos = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (inputCredit == 0 && !inputClosed) {
                nanos = awaitChange(nanos, patience);
            }
            if (lost != null) {
                throw copyOf(lost);
            }
            if (inputClosed) {
                throw new SandglassException(
                        ErrorCode.STDIN_CLOSED,
                        "The standard input of the command is closed.",
                        "It has ended, was started without standard input, or its input was ended.");
            }
            int part = (int) Math.min(inputCredit, wanted);
            inputCredit -= part;
            return part;
        } finally {
            lock.unlock();
        }
    }

    /** Why the request was refused, if it was. */
    Optional<GuestEvent.Refused> refusal() {
        lock.lock();
        try {
            if (lost != null) {
                throw copyOf(lost);
            }
            return events.peek() instanceof GuestEvent.Refused refused ? Optional.of(refused) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the answer to a connection request: credit to send. */
    boolean awaitInputCredit(Duration deadline) throws InterruptedException {
        long nanos = deadline.toNanos();
        lock.lockInterruptibly();
        try {
            while (inputCredit == 0 && !inputClosed) {
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

    /** No more input comes. */
    public void end() {
        closeInput();
        link.sendIfOpen(Protocol.EOF, number, new byte[0]);
    }

    public void signal(int signal) {
        link.send(Protocol.SIGNAL, number, new byte[] {(byte) signal});
    }

    public void resize(int columns, int rows) {
        link.send(
                Protocol.RESIZE,
                number,
                ByteBuffer.allocate(4).putShort((short) columns).putShort((short) rows).array());
    }

    /**
     * Kills a command that nobody will ask for again, and forgets it; returns at once. The agent may be too busy to hear of it
     * now, so it is told for as long as the link lasts.
     */
    public void abandon() {
        link.hide(this);
        leave(lastReader());
        exit.whenComplete((_, _) -> Thread.ofVirtual().start(this::close));
        Thread.ofVirtual().start(() -> {
            // Without a reader, or it would wait for one before it tells of the end. CLOSE takes back a START that was cut off.
            link.insist(Protocol.DETACH, number, new byte[0]);
            link.insist(Protocol.SIGNAL, number, new byte[] {KILL});
            link.insist(Protocol.CLOSE, number, new byte[0]);
        });
    }

    private long lastReader() {
        lock.lock();
        try {
            return lastReader;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a finished command, cancels a file operation or connection. */
    public void close() {
        link.forget(this);
        link.sendIfOpen(Protocol.CLOSE, number, new byte[0]);
    }

    /** The exit, or {@code null} when it has not come within the time. */
    public @Nullable GuestExit awaitExit(Duration timeout) throws InterruptedException {
        return Futures.await(exit, timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static SandglassException copyOf(@Nullable SandglassException problem) {
        if (problem == null) {
            throw new AssertionError("no event and nothing lost");
        }
        return new SandglassException(problem.code(), problem.what(), problem.hint(), problem);
    }

    private static void require(ByteBuffer payload, int bytes) throws ProtocolException {
        if (payload.remaining() != bytes) {
            throw new ProtocolException("payload of " + payload.remaining() + " bytes (expected: " + bytes + ")");
        }
    }
}
