package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * How much room snapshots may take, so that they are refused before the disk is full. A new one reserves what it will take before it is written, and holds that until
 * it is in the ledger. What is there is counted when it may have come to the most, and until then only bounded from above: a snapshot pays nothing for
 * others. Thread-safe.
 */
final class Quota {
    private static final int NAMED = 3;
    private static final double MEBIBYTE = 1 << 20;

    private final Function<Set<SnapshotId>, List<Holdings.Share>> holdings;
    private final long most;
    private final LongSupplier free;
    private final Map<SnapshotId, Reservation> reservations = new HashMap<>();
    /** All that those can take that are whole: what is deleted is in it until they are counted again. */
    private long whole = Long.MAX_VALUE;

    /**
     * @param holdings what is there but for those that have reservations
     * @param most bytes; 0 for four fifths of what they and nothing else share
     * @param free bytes on the disk
     */
    Quota(Function<Set<SnapshotId>, List<Holdings.Share>> holdings, long most, LongSupplier free) {
        this.holdings = holdings;
        this.most = most;
        this.free = free;
    }

    /** What a snapshot takes that is being made. Whoever has one keeps or releases it; whatever comes second does nothing. */
    final class Reservation {
        private final SnapshotId id;
        private final boolean obeys;
        /** What is on the disk already, and what is still to be written. */
        private long written;
        private long coming;

        private Reservation(SnapshotId id, boolean obeys) {
            this.id = id;
            this.obeys = obeys;
        }

        /** Reserves more, for what is still to be written; {@code snapshot_quota_reached} if that is too much, and all is as it was. */
        void expect(long bytes) {
            set(written, coming + bytes);
        }

        /** Reserves more, for what is on the disk or comes to it now. */
        void add(long bytes) {
            set(written + bytes, coming);
        }

        /** Reserves what it takes now that all of it is written, more or less than was thought. */
        void correct(long bytes) {
            set(bytes, 0);
        }

        private void set(long nowWritten, long nowComing) {
            synchronized (Quota.this) {
                long more = nowWritten + nowComing - written - coming;
                long writtenBefore = written;
                long comingBefore = coming;
                written = nowWritten;
                coming = nowComing;
                if (more > 0 && obeys && isTooMuch()) {
                    SandglassException refusal = refusal();
                    written = writtenBefore;
                    coming = comingBefore;
                    throw refusal;
                }
            }
        }

        /** The snapshot is in the ledger, whole. */
        void keep() {
            synchronized (Quota.this) {
                if (reservations.remove(id, this) && whole != Long.MAX_VALUE) {
                    whole += written + coming;
                }
            }
        }

        /** Nothing of it is left. */
        void release() {
            synchronized (Quota.this) {
                reservations.remove(id, this);
            }
        }
    }

    /**
     * Begins to count a snapshot that is to be made.
     *
     * @param obeys whether it is refused when it is too large; else it only counts
     */
    synchronized Reservation reserve(SnapshotId id, boolean obeys) {
        Reservation reservation = new Reservation(id, obeys);
        reservations.put(id, reservation);
        return reservation;
    }

    /** Something is there that was not reserved. */
    synchronized void recount() {
        whole = Long.MAX_VALUE;
    }

    /** What new ones may take. */
    synchronized long room() {
        whole = sum(shares());
        return left();
    }

    /** What they take now, counted anew, those that are being made too. */
    synchronized long used() {
        whole = sum(shares());
        return whole + reserved();
    }

    private boolean isTooMuch() {
        if (whole != Long.MAX_VALUE && left() >= 0) {
            return false;
        }
        return room() < 0;
    }

    private long left() {
        return allowed() - whole - reserved();
    }

    private long allowed() {
        long written = reservations.values().stream().mapToLong(reservation -> reservation.written).sum();
        return most > 0 ? most : (whole + written + free.getAsLong()) / 5 * 4;
    }

    private long reserved() {
        return reservations.values().stream().mapToLong(reservation -> reservation.written + reservation.coming).sum();
    }

    private List<Holdings.Share> shares() {
        return holdings.apply(Set.copyOf(reservations.keySet()));
    }

    private static long sum(List<Holdings.Share> shares) {
        return shares.stream().mapToLong(Holdings.Share::bytes).sum();
    }

    private SandglassException refusal() {
        List<Holdings.Share> shares = shares();
        List<String> largest = shares.stream()
                .filter(share -> share.snapshot().isPresent() && share.bytes() > 0)
                .sorted(Comparator.comparingLong(Holdings.Share::bytes).reversed())
                .limit(NAMED)
                .map(share -> text(share.snapshot().orElseThrow(), share.bytes()))
                .toList();
        long others = shares.stream().filter(share -> share.snapshot().isEmpty()).mapToLong(Holdings.Share::bytes).sum();
        String hint = largest.isEmpty()
                ? "Make room on the disk, or raise `snapshot_quota_mb`."
                : "Remove some with `sandglass snapshot rm`, or raise `snapshot_quota_mb`. The largest are " + String.join(", ", largest) + ".";
        return new SandglassException(
                ErrorCode.SNAPSHOT_QUOTA_REACHED,
                "Snapshots would take " + mebibytes(whole + reserved()) + " (expected: at most " + mebibytes(allowed()) + ").",
                others < MEBIBYTE ? hint : hint + " " + mebibytes(others) + " stay for sandboxes that began with snapshots which were removed.");
    }

    private static String text(SnapshotRecord snapshot, long bytes) {
        return snapshot.name().orElse(snapshot.id().text()) + " (" + mebibytes(bytes) + ")";
    }

    private static String mebibytes(long bytes) {
        return Math.round(bytes / MEBIBYTE * 10) / 10.0 + " MB";
    }
}
