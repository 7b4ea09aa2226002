package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotPosition;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Alarms;
import dev.sandglass.engine.life.HostClock;
import dev.sandglass.engine.life.Originals;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which snapshots go by themselves, and when: those kept for a purpose that is over, and those whose time is. Thread-safe. */
final class Retention implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);
    private static final int PAGE = 1000;
    /** One from which a sandbox goes on stays until it has, or is gone. */
    private static final Duration ANOTHER_LOOK = Duration.ofSeconds(2);

    private final SnapshotLedger ledger;
    private final Originals originals;
    private final HostClock clock;
    private final Function<SnapshotRecord, Optional<String>> removal;
    private final Alarms<SnapshotId> alarms = new Alarms<>("expiry", this::expire);
    /** Those that somebody needs for a while, and how many do. */
    private final Map<SnapshotId, Integer> lent = new ConcurrentHashMap<>();

    /** @param removal takes a snapshot away, unless a sandbox rests at it, whose name it gives back */
    Retention(SnapshotLedger ledger, Originals originals, HostClock clock, Function<SnapshotRecord, Optional<String>> removal) {
        this.ledger = ledger;
        this.originals = originals;
        this.clock = clock;
        this.removal = removal;
    }

    /** Writes off what an earlier daemon had no use for any more or left half made; the others go in their time. */
    void begin() {
        Optional<SnapshotPosition> after = Optional.empty();
        while (true) {
            List<SnapshotRecord> page = ledger.list(after, PAGE, true);
            for (SnapshotRecord snapshot : page) {
                if (snapshot.state() == SnapshotState.CREATING || isOutOfUse(snapshot)) {
                    ledger.delete(snapshot.id());
                } else {
                    note(snapshot);
                }
            }
            if (page.size() < PAGE) {
                return;
            }
            after = Optional.of(SnapshotPosition.of(page.getLast()));
        }
    }

    /** A snapshot is there now, for as long as it says. */
    void note(SnapshotRecord snapshot) {
        snapshot.expiry().ifPresent(expiry -> alarms.set(snapshot.id(), expiry.remaining(clock.now())));
    }

    /** A snapshot is there no more. */
    void forget(SnapshotId snapshot) {
        alarms.cancel(snapshot);
    }

    private void expire(SnapshotId id) {
        try {
            Optional<SnapshotRecord> over = ledger.find(id).filter(snapshot -> snapshot.state() == SnapshotState.READY);
            if (over.isEmpty()) {
                return;
            }
            if (originals.goOnFrom(id) || removal.apply(over.get()).isPresent()) {
                alarms.set(id, ANOTHER_LOOK);
                return;
            }
            LOG.info("The time of {} was over", id);
        } catch (RuntimeException problem) {
            LOG.warn("Snapshot {}, whose time is over, could not be removed; it is tried again", id, problem);
            alarms.set(id, ANOTHER_LOOK);
        }
    }

    /** Writes off what was kept for a sandbox itself, which is gone; whether there was anything. */
    boolean end(SandboxRecord sandbox) {
        List<SnapshotRecord> ofIt = ledger.of(sandbox.id()).stream()
                .filter(snapshot -> snapshot.purpose() != SnapshotPurpose.FORK && snapshot.state() == SnapshotState.READY && isOutOfUse(snapshot))
                .toList(); // a fork's is its maker's
        ofIt.forEach(snapshot -> ledger.delete(snapshot.id()));
        return !ofIt.isEmpty();
    }

    /** Taken for a purpose that it has not any more. */
    private boolean isOutOfUse(SnapshotRecord snapshot) {
        boolean isCheckpoint = snapshot.purpose() == SnapshotPurpose.CHECKPOINT && originals.keepsCheckpoints(snapshot.sandbox());
        return isFree(snapshot) && !isCheckpoint;
    }

    /** Taken for a purpose, and nobody needs it: no sandbox goes on from it. */
    boolean isFree(SnapshotRecord snapshot) {
        return snapshot.purpose() != SnapshotPurpose.KEPT
                && snapshot.state() != SnapshotState.DELETED
                && !lent.containsKey(snapshot.id())
                && !originals.goOnFrom(snapshot.id())
                && !(snapshot.purpose() == SnapshotPurpose.BUILD && ledger.isStep(snapshot.id()));
    }

    /** Keeps one from being free, whatever becomes of its sandbox; who lends it gives it back, and sees then whether it still is needed. */
    void lend(SnapshotId snapshot) {
        lent.merge(snapshot, 1, Integer::sum);
    }

    void giveBack(SnapshotId snapshot) {
        lent.computeIfPresent(snapshot, (_, times) -> times == 1 ? null : times - 1);
    }

    @Override
    public void close() {
        alarms.close();
    }
}
