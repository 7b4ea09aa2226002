package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.VolumeLedger;
import dev.sandglass.engine.ledger.VolumeRecord;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.engine.sandbox.VolumeState;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Volumes as trees of the pool and rows of the ledger: the row comes first and goes last, so a tree without one is never an accident of ours, and is left
 * alone. Thread-safe.
 */
public final class VolumeStore {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeStore.class);
    /** Of trees that have what volumes were when a sandbox stood still. */
    private static final String MOMENT = "volfork-";
    private static final int NAME_MOST = 63;
    private static final int SUFFIX = 6;

    private final VolumeLedger ledger;
    private final Pool pool;
    private final Lock removal = new ReentrantLock();

    VolumeStore(Ledger ledger, Pool pool) {
        this.ledger = ledger.volumes();
        this.pool = pool;
    }

    /** Finishes or undoes what an earlier daemon left, after it did so with sandboxes. */
    void open() {
        sweep();
        pool.trees().stream().filter(tree -> tree.startsWith(MOMENT)).forEach(pool::remove);
    }

    /** Makes an empty one, as the record says. */
    public void create(VolumeRecord wanted) {
        make(wanted, () -> pool.create(wanted.id().tree()));
        ledger.ready(wanted.id());
        Failpoint.VOLUME_READY.reach();
    }

    /** Makes a copy, as the record says, of what a volume has now. */
    public void copy(VolumeRecord source, VolumeRecord wanted) {
        copyTree(source.id().tree(), wanted);
        ledger.ready(wanted.id());
        Failpoint.VOLUME_READY.reach();
    }

    /**
     * The same for a sandbox that is about to be made: the copy stays with the word that it runs, and goes if it does not come to.
     *
     * @param moment whose volumes are copied as they were then, if they were kept
     */
    void copyFor(VolumeUse source, SnapshotId moment, VolumeRecord wanted) {
        String kept = moment(moment, source);
        copyTree(pool.trees().contains(kept) ? kept : source.volume().tree(), wanted);
    }

    /** What a copy of a volume is to be; without a name it gets one that follows from the volume's. */
    public static VolumeRecord copyOf(VolumeRecord volume, Optional<String> name, Map<String, String> labels, boolean isSnapshot) {
        VolumeId id = VolumeId.random();
        String suffix = "-" + id.text().substring(id.text().length() - SUFFIX);
        String base = volume.name().substring(0, Math.min(volume.name().length(), NAME_MOST - suffix.length()));
        return new VolumeRecord(
                id,
                name.orElse(base + suffix),
                VolumeState.CREATING,
                isSnapshot,
                volume.bytes(),
                Optional.of(volume.id()),
                labels,
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
    }

    private void copyTree(String tree, VolumeRecord wanted) {
        make(wanted, () -> pool.copy(tree, wanted.id().tree()));
    }

    private void make(VolumeRecord wanted, Runnable making) {
        pool.requireRoom();
        ledger.insert(wanted);
        Failpoint.VOLUME_RECORDED.reach();
        try {
            making.run();
            Failpoint.VOLUME_TREE.reach();
            if (wanted.isSnapshot()) {
                pool.seal(wanted.id().tree());
            } else if (pool.canLimit()) {
                pool.limit(wanted.id().tree(), wanted.bytes());
            }
        } catch (RuntimeException problem) {
            discard(wanted);
            throw problem;
        }
    }

    /** Takes one away that did not come to be. */
    void discard(VolumeRecord unwanted) {
        try {
            if (ledger.delete(unwanted.id()).isEmpty()) { // else it belongs to a sandbox that could not be taken away either
                remove(unwanted);
            }
        } catch (RuntimeException problem) {
            LOG.error("What was made of the volume {} could not be taken away; it is done at the next start", unwanted.name(), problem);
        }
    }

    /** Keeps what the volumes of a sandbox are, which stands still, for those who copy them soon. */
    public void keep(SandboxRecord sandbox, SnapshotId moment) {
        sandbox.volumes().stream().filter(use -> !isSnapshot(use.volume())).forEach(use -> pool.copy(use.volume().tree(), moment(moment, use)));
    }

    /** Nobody copies them any more. */
    public void letGo(SnapshotId moment) {
        for (int slot = 1; slot <= VolumeUse.MOST; slot++) {
            pool.remove(MOMENT + moment.text() + "-" + slot);
        }
    }

    private static String moment(SnapshotId moment, VolumeUse use) {
        return MOMENT + moment.text() + "-" + use.slot();
    }

    private boolean isSnapshot(VolumeId id) {
        return ledger.find(id).filter(VolumeRecord::isSnapshot).isPresent();
    }

    /** Removes one that no sandbox has. */
    public void delete(VolumeRecord volume) {
        List<VolumeLedger.User> users = ledger.delete(volume.id());
        if (!users.isEmpty()) {
            String names = users.stream().map(VolumeLedger.User::name).limit(5).collect(Collectors.joining(", "));
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "The volume " + volume.name() + " is in use by " + names + (users.size() > 5 ? " and " + (users.size() - 5) + " more" : "") + ".",
                    "Detach it with `sandglass volume detach " + users.getFirst().name() + " " + volume.name() + "`, or remove the sandbox, first.");
        }
        Failpoint.VOLUME_DELETING.reach();
        remove(volume);
    }

    /** One at a time: what is being deleted may be found by who looks for what is left. */
    private void remove(VolumeRecord volume) {
        removal.lock();
        try {
            pool.remove(volume.id().tree());
            Failpoint.VOLUME_REMOVED.reach();
            ledger.forget(volume.id());
        } finally {
            removal.unlock();
        }
    }

    /** Takes away what is being deleted, and what was made for sandboxes that did not come to be. Only while none is made. */
    private void sweep() {
        ledger.unfinished().forEach(this::discard);
    }

    /** Takes away what was made for a sandbox that is gone and did not come to be. */
    void ended() {
        ledger.unfinished().stream().filter(volume -> volume.state() == VolumeState.DELETING).forEach(this::discard);
    }

    /** Bytes that are charged to it; empty where they are not counted. */
    public OptionalLong used(VolumeId id) {
        return pool.canLimit() ? OptionalLong.of(pool.usedBytes(id.tree())) : OptionalLong.empty();
    }
}
