package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All that is open on one link, by the numbers that the link gives, and when the sandbox was last used by any of it. Thread-safe. */
final class GuestStreams {
    private final String name;
    private final Outbox outbox;
    private final Questions questions;
    private final Supplier<@Nullable SandglassException> lost;
    private final Map<Integer, GuestStream> streams = new ConcurrentHashMap<>();
    /** Those of the streams that are commands, oldest first. */
    private final Map<Integer, GuestCommand> commands = new ConcurrentSkipListMap<>();
    private final AtomicInteger next = new AtomicInteger(1);
    private volatile long lastUse = System.nanoTime();

    /** @param lost why the link is lost, if it is */
    GuestStreams(String name, Outbox outbox, Questions questions, Supplier<@Nullable SandglassException> lost) {
        this.name = name;
        this.outbox = outbox;
        this.questions = questions;
        this.lost = lost;
    }

    /** The agent says how far it has counted, and for how long it was not used: an earlier daemon may have been. */
    void begin(int number, Duration idle) {
        next.set(number);
        lastUse = System.nanoTime() - idle.toNanos();
    }

    GuestStream open(int window, long inputCredit, boolean isUse) {
        GuestStream stream = new GuestStream(next.getAndIncrement(), this, window, inputCredit, isUse);
        used(stream);
        streams.put(stream.number(), stream);
        // The link may have been lost between a check and the put; then nobody else would tell this stream.
        SandglassException problem = lost.get();
        if (problem != null) {
            stream.lose(problem);
        }
        return stream;
    }

    /** Takes one that the agent has numbered. */
    void add(GuestStream stream) {
        streams.put(stream.number(), stream);
        numberAbove(stream.number());
    }

    /** Nothing is left of a request that cannot be sent. */
    void request(int type, GuestStream stream, byte[] message) {
        try {
            outbox.send(type, stream.number(), message);
        } catch (SandglassException stuck) {
            stream.forget();
            throw lost.get() == null ? stuck : new UnsentException(stuck);
        }
    }

    Optional<GuestStream> find(int number) {
        return Optional.ofNullable(streams.get(number));
    }

    Map<Integer, GuestCommand> commands() {
        return commands;
    }

    /** A command that is not to be found any more, though its end is still to come. */
    void hide(GuestStream stream) {
        commands.remove(stream.number());
    }

    void forget(GuestStream stream) {
        used(stream);
        streams.remove(stream.number(), stream);
        commands.remove(stream.number());
    }

    void numberAbove(int highest) {
        next.accumulateAndGet(highest + 1, Math::max);
    }

    int retire() {
        return next.getAndSet(Integer.MIN_VALUE) - 1;
    }

    int highest() {
        return next.get() - 1;
    }

    /** Something has come of what was asked for. */
    void used(GuestStream stream) {
        if (stream.isUse()) {
            use();
        }
    }

    void use() {
        lastUse = System.nanoTime();
    }

    boolean isBusy() {
        return streams.values().stream().anyMatch(stream -> stream.isUse() && !stream.exit().isDone());
    }

    Duration idle() {
        return isBusy() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - lastUse);
    }

    void lose(SandglassException problem) {
        streams.values().forEach(stream -> stream.lose(problem));
    }

    SandglassException turnedBack() {
        return new SandglassException(
                ErrorCode.SANDBOX_NOT_RUNNING,
                "The sandbox " + name + " was turned back.",
                "What ran in that state already runs again: list the commands, and attach to it.");
    }

    // -- for streams

    Outbox outbox() {
        return outbox;
    }

    Questions questions() {
        return questions;
    }
}
