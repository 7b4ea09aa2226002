package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotState;
import java.util.concurrent.TimeUnit;

/** Whether a snapshot is still there, for who asks all the time: the ledger is looked into now and then only. Thread-safe. */
final class Presence {
    private static final long LOOKS_APART_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final SnapshotLedger ledger;
    private final SnapshotId id;
    private long lookedAt = System.nanoTime();
    private boolean over;

    /** Of one that is there now. */
    Presence(SnapshotLedger ledger, SnapshotId id) {
        this.ledger = ledger;
        this.id = id;
    }

    synchronized boolean isOver() {
        long now = System.nanoTime();
        if (!over && now - lookedAt >= LOOKS_APART_NANOS) {
            lookedAt = now;
            over = ledger.find(id).filter(found -> found.state() == SnapshotState.READY).isEmpty();
        }
        return over;
    }
}
