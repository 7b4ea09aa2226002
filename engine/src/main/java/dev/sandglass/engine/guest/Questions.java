package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What the daemon asks the agent and waits to hear: whether it is there, and how far an output has come. Thread-safe. */
final class Questions {
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private final String name;
    private final Outbox outbox;
    private final Map<Long, CompletableFuture<Boolean>> pings = new ConcurrentHashMap<>();
    private final Map<Integer, CompletableFuture<Long>> extents = new ConcurrentHashMap<>();
    private final AtomicLong nextPing = new AtomicLong();
    private volatile @Nullable SandglassException lost;

    Questions(String name, Outbox outbox) {
        this.name = name;
        this.outbox = outbox;
    }

    /** Returns when the agent has seen everything that was sent before, and all that it sent before has arrived. */
    void ping() {
        long id = nextPing.incrementAndGet();
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        pings.put(id, answer);
        try {
            outbox.send(Protocol.PING, 0, ByteBuffer.allocate(8).putLong(id).flip());
            await(answer);
        } finally {
            pings.remove(id);
        }
    }

    /** Lets nothing more go to the agent, and returns when it has seen everything that was sent before. */
    Hold hold() {
        long id = nextPing.incrementAndGet();
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        pings.put(id, answer);
        Hold hold = outbox.holdBehind(Frame.encode(Protocol.PING, false, 0, ByteBuffer.allocate(8).putLong(id).flip()));
        try {
            await(answer);
            return hold;
        } catch (RuntimeException unanswered) {
            hold.close();
            throw unanswered;
        } finally {
            pings.remove(id);
        }
    }

    /**
     * Asks the same behind another frame; both are sent or none is.
     *
     * @param answered done by the link's reader thread, unless the link is lost
     */
    void ping(ByteBuffer first, Runnable answered) {
        long id = nextPing.incrementAndGet();
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        answer.whenComplete((pong, _) -> {
            if (pong != null) {
                answered.run();
            }
        });
        pings.put(id, answer);
        try {
            ByteBuffer ping = Frame.encode(Protocol.PING, false, 0, ByteBuffer.allocate(8).putLong(id).flip());
            outbox.put(ByteBuffer.allocate(first.remaining() + ping.remaining()).put(first).put(ping).flip());
        } catch (SandglassException unsent) {
            pings.remove(id);
            throw unsent;
        }
    }

    /** Where the output of a command ends now. */
    long endOffset(int stream) {
        CompletableFuture<Long> answer = extents.computeIfAbsent(stream, _ -> new CompletableFuture<>());
        try {
            outbox.send(Protocol.QUERY, stream, new byte[0]);
            return await(answer);
        } finally {
            extents.remove(stream, answer);
        }
    }

    private <T> T await(CompletableFuture<T> answer) {
        SandglassException problem = lost;
        if (problem != null) {
            answer.completeExceptionally(problem); // the link was lost before the question was put
        }
        try {
            T value = Futures.await(answer, DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
            if (value == null) {
                throw new SandglassException(
                        ErrorCode.GUEST_TIMEOUT, "The agent of " + name + " does not answer.", "The sandbox may be overloaded.");
            }
            return value;
        } catch (InterruptedException stopped) {
            throw Futures.stopping(stopped);
        }
    }

    // -- for the link's reader thread

    void pong(ByteBuffer payload) {
        CompletableFuture<Boolean> asked = payload.remaining() == 8 ? pings.remove(payload.getLong()) : null;
        if (asked != null) {
            asked.complete(true);
        }
    }

    void extent(int stream, ByteBuffer payload) {
        CompletableFuture<Long> asked = extents.get(stream);
        if (asked != null && payload.remaining() == 16) {
            asked.complete(payload.getLong(payload.position() + 8));
        }
    }

    void lose(SandglassException problem) {
        lost = problem;
        pings.values().forEach(answer -> answer.completeExceptionally(problem));
        extents.values().forEach(answer -> answer.completeExceptionally(problem));
    }
}
