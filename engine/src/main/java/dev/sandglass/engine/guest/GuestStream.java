package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One command, file operation or connection on a link: its life, its input and its output. Thread-safe. */
public final class GuestStream {
    /** A process that runs, its pid as seen inside. */
    public record Started(long pid, Instant at) {}

    private static final byte KILL = 9;

    private final int number;
    private final GuestStreams all;
    private volatile boolean isUse;
    private final GuestInput input;
    private final GuestOutput output;
    private final CompletableFuture<Started> started = new CompletableFuture<>();
    private final CompletableFuture<GuestExit> exit = new CompletableFuture<>();
    private LongSupplier oomKills = () -> 0;
    private long oomKillsBefore;

    /**
     * @param window how many bytes of output may be on their way or queued here
     * @param isUse whether the sandbox is used by it
     */
    GuestStream(int number, GuestStreams all, int window, long inputCredit, boolean isUse) {
        this.number = number;
        this.all = all;
        this.isUse = isUse;
        this.input = new GuestInput(number, all.outbox(), inputCredit);
        this.output = new GuestOutput(this, new OutputTap(number, all.outbox(), all.questions()), window);
    }

    public int number() {
        return number;
    }

    boolean isUse() {
        return isUse;
    }

    /** Whether the sandbox is used by it from now on: a connection that is only kept for later is no use. */
    public void use(boolean changed) {
        isUse = changed;
        all.use();
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

    /** Its input may go in frames that long, with their headers. Called before anything is written. */
    void lengthen(int frameBytes) {
        input.lengthen(frameBytes);
    }

    // -- for the link's reader thread, which never waits here

    void receive(Frame frame) throws ProtocolException {
        ByteBuffer payload = frame.payload();
        switch (frame.type()) {
            case Protocol.STARTED -> {
                require(payload, 12);
                started.complete(new Started(Integer.toUnsignedLong(payload.getInt()), GuestExit.timeOf(payload.getLong())));
            }
            case Protocol.OUTPUT -> output.receive(payload);
            case Protocol.INPUT_CREDIT -> {
                require(payload, 4);
                input.addCredit(Integer.toUnsignedLong(payload.getInt()));
            }
            case Protocol.INPUT_EOF -> output.enqueue(new GuestEvent.Eof());
            case Protocol.EXIT -> {
                GuestExit ended = judged(GuestExit.decode(payload));
                input.close();
                all.used(this);
                exit.complete(ended); // first: who reads the end must find the command finished
                output.end(ended);
            }
            case Protocol.ERROR -> refused(payload);
            default -> throw new ProtocolException("type " + frame.type() + " on stream " + number);
        }
    }

    private void refused(ByteBuffer payload) throws ProtocolException {
        if (payload.remaining() < 5) {
            throw new ProtocolException("ERROR of " + payload.remaining() + " bytes (expected: >= 5)");
        }
        int errno = payload.getInt();
        Refusal what = Refusal.of(Byte.toUnsignedInt(payload.get()));
        GuestEvent.Refused refusal = new GuestEvent.Refused(errno, what, StandardCharsets.UTF_8.decode(payload).toString());
        all.forget(this);
        output.enqueue(refusal);
        input.close();
        SandglassException problem = Errno.commandRefused(refusal);
        started.completeExceptionally(problem);
        exit.completeExceptionally(problem);
    }

    /** A command ends with the state in which it ran. */
    void turnBack() {
        GuestExit ended = GuestExit.ofTheFuture();
        input.close();
        exit.complete(ended);
        try {
            output.enqueue(new GuestEvent.Ended(ended));
        } catch (ProtocolException full) {
            output.lose(all.turnedBack()); // a reader that takes nothing is told when it does
        }
    }

    void lose(SandglassException problem) {
        output.lose(problem);
        input.lose(problem);
        started.completeExceptionally(problem);
        exit.completeExceptionally(problem);
    }

    void adopted(Started process, @Nullable GuestExit ended, boolean inputOpen) {
        started.complete(process);
        if (!inputOpen) {
            input.close();
        }
        if (ended != null) {
            exit.complete(ended);
        }
    }

    // -- for readers

    /**
     * Becomes a reader of a command's output from that offset on, beside those that there are; {@code limit_reached} when there are
     * many. An offset behind the end of what there is means the end.
     */
    public GuestReader attach(long offset) {
        return output.attach(offset == 0 ? 0 : Math.min(offset, endOffset()));
    }

    /** Where the output ends at this moment. */
    public long endOffset() {
        return exit.state() == Future.State.SUCCESS ? exit.resultNow().endOffset() : all.questions().endOffset(number);
    }

    /** The one reader of a file operation or connection. */
    GuestReader read() {
        return output.begin();
    }

    /** Why the request was refused, if it was. */
    Optional<GuestEvent.Refused> refusal() {
        return output.refusal();
    }

    // -- for writers

    /** Sends input; waits while the process does not take it. {@code stdin_closed} when it has no input any more. */
    public void write(byte[] bytes, int offset, int length) throws InterruptedException {
        input.write(bytes, offset, length, GuestReader.FOR_EVER);
    }

    /** The same, but {@code guest_timeout} when nothing was taken for that long. */
    public void write(byte[] bytes, int offset, int length, Duration patience) throws InterruptedException {
        input.write(bytes, offset, length, patience);
    }

    /** Waits for the answer to a connection request: credit to send. */
    boolean awaitInputCredit(Duration deadline) throws InterruptedException {
        return input.awaitCredit(deadline);
    }

    /** The process has no input. */
    void closeInput() {
        input.close();
    }

    /** No more input comes. */
    public void end() {
        input.close();
        all.outbox().sendIfOpen(Protocol.EOF, number, new byte[0]);
    }

    public void signal(int signal) {
        all.outbox().send(Protocol.SIGNAL, number, new byte[] {(byte) signal});
    }

    public void resize(int columns, int rows) {
        all.outbox().send(
                Protocol.RESIZE,
                number,
                ByteBuffer.allocate(4).putShort((short) columns).putShort((short) rows).array());
    }

    /**
     * Kills a command that nobody will ask for again, and forgets it; returns at once. The agent may be too busy to hear of it
     * now, so it is told for as long as the link lasts.
     */
    public void abandon() {
        all.hide(this);
        output.lose(notKept());
        exit.whenComplete((_, _) -> Thread.ofVirtual().start(this::close));
        Thread.ofVirtual().start(() -> {
            // Without a reader, or it would wait for one before it tells of the end.
            all.outbox().insist(Protocol.DETACH, number, new byte[0]);
            all.outbox().insist(Protocol.SIGNAL, number, new byte[] {KILL});
        });
    }

    /** Forgets what was asked for by a request that did not reach the agent whole. */
    void forget() {
        all.forget(this);
        output.lose(notKept());
    }

    /** Forgets a finished command, cancels a file operation or connection; who still reads it is told. */
    public void close() {
        forget();
        all.outbox().sendIfOpen(Protocol.CLOSE, number, new byte[0]);
    }

    /** The exit, or {@code null} when it has not come within the time. */
    public @Nullable GuestExit awaitExit(Duration timeout) throws InterruptedException {
        return Futures.await(exit, timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    // -- for its input and output

    static SandglassException standsStill(Duration patience) {
        return new SandglassException(
                ErrorCode.GUEST_TIMEOUT,
                "The sandbox has not gone on with it for " + patience.toSeconds() + " s.",
                "The sandbox may be out of processor time, or its disk hangs; look for what runs in it.");
    }

    private SandglassException notKept() {
        return new SandglassException(
                ErrorCode.COMMAND_NOT_FOUND,
                "cmd-" + number + " is no longer kept.",
                "It was ended by who started it, or ended long ago; list the commands to see those that are known.");
    }

    static SandglassException copyOf(@Nullable SandglassException problem) {
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
