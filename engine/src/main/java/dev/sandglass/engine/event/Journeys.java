package dev.sandglass.engine.event;

import dev.sandglass.engine.ledger.JourneyLedger;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.WriteBehind;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.NetworkAttempt;
import dev.sandglass.wire.NetworkAttemptList;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What sandboxes try to reach, kept in the ledger. Gateways tell it here and never wait: a sandbox that tries as often as it can costs a write now and then, and what
 * comes in between beyond what is held is counted as lost. Thread-safe.
 */
public final class Journeys implements Consumer<Journey>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Journeys.class);
    private static final int HELD = 4096;

    private final Ledger ledger;
    private final BlockingQueue<Journey> told = new ArrayBlockingQueue<>(HELD);
    private final AtomicLong lost = new AtomicLong();
    private final Additions additions = new Additions();
    private final ReentrantLock writing = new ReentrantLock();
    private final WriteBehind writer;

    public Journeys(Ledger ledger) {
        this.ledger = ledger;
        this.writer = new WriteBehind("journeys", this::flush);
    }

    @Override
    public void accept(Journey journey) {
        LOG.debug("{}", journey);
        if (told.offer(journey)) {
            writer.arrived();
        } else {
            lost.incrementAndGet();
        }
    }

    /**
     * A page of what a sandbox tried, what was told before this call included.
     *
     * @param after 0 begins with the oldest that is kept
     */
    public NetworkAttemptList page(String sandbox, long after, int limit) {
        SandboxId id = ledger.resolve(sandbox).id();
        flush();
        return page(id, after, limit);
    }

    private NetworkAttemptList page(SandboxId id, long after, int limit) {
        JourneyLedger.Page page = ledger.journeys().read(id, after, limit);
        List<NetworkAttempt> attempts = page.attempts();
        return new NetworkAttemptList(attempts, attempts.isEmpty() ? after : attempts.getLast().id(), page.gap());
    }

    /** The same, but that it waits for the first for so long. */
    public NetworkAttemptList await(String sandbox, long after, int limit, Duration patience) throws InterruptedException {
        SandboxId id = ledger.resolve(sandbox).id();
        long deadline = System.nanoTime() + patience.toNanos();
        flush();
        while (true) {
            long seen = additions.count();
            NetworkAttemptList page = page(id, after, limit);
            if (!page.attempts().isEmpty() || !additions.await(seen, Duration.ofNanos(deadline - System.nanoTime()))) {
                return page;
            }
        }
    }

    /** How many were not kept because there were too many at once. */
    public long lost() {
        return lost.get();
    }

    private void flush() {
        writing.lock();
        try {
            List<Journey> batch = new ArrayList<>();
            told.drainTo(batch, HELD);
            if (!batch.isEmpty()) {
                ledger.journeys().add(batch);
                additions.add();
            }
        } catch (SandglassException problem) {
            LOG.warn("What sandboxes tried to reach could not be written: {}", problem.getMessage());
        } finally {
            writing.unlock();
        }
    }

    /** Writes what is held. */
    @Override
    public void close() {
        writer.close();
    }
}
