package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.guest.GuestProcesses;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Capture;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.life.Originals;
import dev.sandglass.engine.life.VolumeStore;
import dev.sandglass.engine.pool.LayerBytes;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ProcessList;
import dev.sandglass.wire.SandglassException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One snapshot as it is taken: written, captured, measured, published. */
final class Taking implements Capture {
    private static final Logger LOG = LoggerFactory.getLogger(Taking.class);
    private static final long NANOS_PER_MICRO = 1000;

    private final SnapshotLedger ledger;
    private final LayerStore layers;
    private final Chains chains;
    private final MemoryStore memories;
    private final Originals originals;
    private final Quota.Reservation reservation;
    private final Wish wish;
    private final VolumeStore volumes;
    private final SnapshotId id = SnapshotId.random();
    private @Nullable SnapshotRecord record;
    /** Of the processes that are captured too. */
    private Optional<SnapshotRecord.Memory> memory = Optional.empty();
    /** The last snapshot of the same sandbox, with the layer that has what its tree had then. */
    private Optional<SnapshotRecord> before = Optional.empty();
    /** What ran right before the pause, if somebody can tell. */
    private Optional<ProcessList> processes = Optional.empty();
    private boolean unchanged;
    private long pauseMicros;
    private long diskLimit;
    private volatile boolean givenUp;
    private long memoryInUse;

    Taking(SnapshotLedger ledger, LayerStore layers, Chains chains, MemoryStore memories, Originals originals, Quota quota, Wish wish, VolumeStore volumes) {
        this.ledger = ledger;
        this.layers = layers;
        this.chains = chains;
        this.memories = memories;
        this.originals = originals;
        this.wish = wish;
        this.volumes = volumes;
        this.reservation = quota.reserve(id, wish.purpose().obeysQuota());
    }

    @Override
    public Optional<IdempotencyKey> key() {
        return wish.key();
    }

    @Override
    public Optional<SnapshotRecord> same(SandboxRecord sandbox, String tree) {
        memory = memoryOf(sandbox);
        before = heldBefore(sandbox);
        Trace.step("changes");
        if (memory.isPresent() || !isUnchanged(tree)) {
            return Optional.empty();
        }
        unchanged = true;
        record = sharing(begun(sandbox), before.orElseThrow(), Optional.empty());
        return Optional.of(record);
    }

    @Override
    public Optional<Path> prepare(SandboxRecord sandbox, String tree) {
        if (before.isEmpty()) {
            before = heldBefore(sandbox);
        }
        memory = memoryOf(sandbox);
        if (memory.isPresent()) {
            memoryInUse = originals.memoryInUse(sandbox);
            reservation.expect(memoryInUse);
        }
        diskLimit = sandbox.limits().diskBytes();
        record = begun(sandbox);
        Trace.step("ledger");
        ledger.insert(record);
        Failpoint.SNAPSHOT_RECORDED.reach();
        Trace.step("settle");
        if (!isUnchanged(tree)) {
            layers.layers().settle(tree);
            reservation.add(layers.layers().written(tree, before.flatMap(last -> last.layers().stream().findFirst())));
        }
        Trace.step("pause");
        return memory.map(_ -> originals.trustsProcesses(sandbox.runtime()) && wish.purpose().goesOn() ? memories.land(id, memoryInUse) : memories.make(id));
    }

    private SnapshotRecord begun(SandboxRecord sandbox) {
        return new SnapshotRecord(
                id,
                1,
                wish.name(),
                wish.purpose(),
                SnapshotState.CREATING,
                sandbox.lineage().at(),
                sandbox.id(),
                sandbox.name(),
                sandbox.runtime(),
                sandbox.image(),
                Stream.concat(Stream.of(id.text()), chains.shortened(sandbox.lineage().layers(), sandbox.image()).stream()).toList(),
                SnapshotRecord.Bytes.UNKNOWN,
                memory,
                sandbox.lineage().generation(),
                0,
                wish.description(),
                wish.labels(),
                wish.expiry(),
                Instant.now(),
                sandbox.network(),
                sandbox.volumes(),
                sandbox.commandDefaults());
    }

    @Override
    public Path spill() {
        return memories.spill(id);
    }

    @Override
    public Optional<Path> outgrown(long memoryBytes) {
        return memories.outgrown(id, memoryBytes);
    }

    /** What is compared with must not go meanwhile. */
    private Optional<SnapshotRecord> heldBefore(SandboxRecord sandbox) {
        Optional<SnapshotRecord> last = sandbox.lineage().at().flatMap(ledger::find).filter(found -> isOfTheTree(found, sandbox));
        last.ifPresent(found -> layers.hold(topOf(found)));
        Optional<SnapshotRecord> still = last.flatMap(found -> ledger.find(found.id())).filter(found -> isOfTheTree(found, sandbox));
        if (still.isEmpty()) {
            last.ifPresent(found -> layers.release(topOf(found)));
        }
        return still;
    }

    private void letGoOfBefore() {
        before.ifPresent(last -> {
            layers.letGo(topOf(last));
            if (ledger.find(last.id()).filter(found -> found.state() == SnapshotState.READY).isEmpty()) {
                layers.removeUnused();
            }
        });
        before = Optional.empty();
    }

    private static List<String> topOf(SnapshotRecord snapshot) {
        return snapshot.layers().stream().limit(1).toList();
    }

    /** A sandbox that was turned back stands on the snapshot with a new tree. */
    private static boolean isOfTheTree(SnapshotRecord last, SandboxRecord sandbox) {
        return last.state() == SnapshotState.READY
                && last.sandbox().equals(sandbox.id())
                && Chains.isSame(last.layers().stream().skip(1).toList(), sandbox.lineage().layers());
    }

    /** Processes are captured wherever there are some and the runtime can. */
    private Optional<SnapshotRecord.Memory> memoryOf(SandboxRecord sandbox) {
        boolean wanted = !wish.diskOnly() && sandbox.state() instanceof SandboxState.Running;
        if (!wanted || originals.obstacleToMemory(sandbox).isPresent()) {
            return Optional.empty();
        }
        Map<String, String> traits = originals.traits(sandbox);
        return Optional.of(new SnapshotRecord.Memory(0, sandbox.agent(), sandbox.security(), sandbox.capabilities(), sandbox.limits(), traits));
    }

    private boolean isUnchanged(String tree) {
        return before.filter(last -> layers.layers().isUnchanged(tree, last.layers().getFirst())).isPresent();
    }

    /** Of what is captured for copies that begin at once nobody asks later what ran in it. */
    @Override
    public void look(GuestLink link) {
        if (wish.purpose() != SnapshotPurpose.FORK) {
            processes = GuestProcesses.ask(link);
        }
    }

    @Override
    public void take(SandboxRecord sandbox, String tree) {
        unchanged = isUnchanged(tree);
        if (!unchanged) {
            layers.layers().snapshot(tree, id.text());
        }
        if (wish.keepsVolumes()) {
            volumes.keep(sandbox, id);
        }
        // What began before is in it and what begins later is not: to the next millisecond, because the ledger has no parts of one.
        record = Objects.requireNonNull(record, "nothing was prepared").takenAt(Instant.now().truncatedTo(ChronoUnit.MILLIS).plusMillis(1));
        Failpoint.SNAPSHOT_TAKEN.reach();
    }

    @Override
    public Optional<SnapshotId> done(Duration pause) {
        pauseMicros = pause.toNanos() / NANOS_PER_MICRO;
        return wish.purpose() == SnapshotPurpose.FORK ? Optional.empty() : Optional.of(id);
    }

    @Override
    public SnapshotRecord publish() {
        SnapshotRecord taken = Objects.requireNonNull(record, "nothing was captured");
        if (taken.state() == SnapshotState.READY) {
            return published(taken);
        }
        try {
            return published(whole(taken));
        } catch (SandglassException ended) {
            if (givenUp && ended.code() == ErrorCode.CONFLICT) {
                throw new SandglassException(
                        ErrorCode.CONFLICT, "The sandbox " + taken.sandboxName() + " is being destroyed, so it is not captured.", "It goes, and nothing is to be done.", ended);
            }
            throw ended;
        }
    }

    private SnapshotRecord whole(SnapshotRecord taken) {
        Optional<SnapshotRecord.Memory> whole = memory.map(this::described);
        SnapshotRecord ready = unchanged ? sharing(taken, before.orElseThrow(), whole) : measured(taken, whole);
        reservation.correct(ready.bytes().own() + ready.memory().map(SnapshotRecord.Memory::bytes).orElse(0L));
        Trace.step("ledger, ready");
        wish.key().ifPresentOrElse(key -> ledger.update(ready, key), () -> ledger.update(ready));
        return ready;
    }

    private SnapshotRecord published(SnapshotRecord ready) {
        reservation.keep();
        Failpoint.SNAPSHOT_READY.reach();
        letGoOfBefore();
        return ready;
    }

    private SnapshotRecord.Memory described(SnapshotRecord.Memory captured) {
        Failpoint.SNAPSHOT_MEMORY_TAKEN.reach();
        processes.ifPresent(list -> ProcessFile.write(memories.path(id), list));
        Trace.step("memory's manifest");
        long bytes = wish.purpose() == SnapshotPurpose.FORK ? memories.pass(id) : memories.describe(Objects.requireNonNull(record), () -> givenUp).bytes();
        Failpoint.SNAPSHOT_MEMORY_DESCRIBED.reach();
        return new SnapshotRecord.Memory(
                bytes, captured.agent(), captured.security(), captured.capabilities(), captured.limits(), captured.traits());
    }

    private SnapshotRecord sharing(SnapshotRecord taken, SnapshotRecord same, Optional<SnapshotRecord.Memory> whole) {
        return taken.ready(same.layers(), new SnapshotRecord.Bytes(0, same.bytes().layer(), same.bytes().total()), whole, pauseMicros);
    }

    private SnapshotRecord measured(SnapshotRecord taken, Optional<SnapshotRecord.Memory> whole) {
        Optional<String> earlier = before.flatMap(last -> last.layers().stream().findFirst());
        Trace.step("measure");
        LayerBytes bytes = layers.bytes(id.text(), earlier);
        layers.requireReadable(bytes, diskLimit);
        Trace.step("manifest");
        layers.describe(taken.sandbox(), id.text(), taken.image(), earlier, () -> givenUp);
        long total = bytes.total() + taken.layers().stream().skip(1).mapToLong(this::size).sum();
        return taken.ready(taken.layers(), new SnapshotRecord.Bytes(bytes.own(), bytes.total(), total), whole, pauseMicros);
    }

    /** The ledger has it of the layers that snapshots came with. */
    private long size(String layer) {
        return Optional.of(layer)
                .filter(SnapshotId::isId)
                .flatMap(name -> ledger.find(new SnapshotId(name)))
                .map(SnapshotRecord::bytes)
                .filter(known -> !known.equals(SnapshotRecord.Bytes.UNKNOWN))
                .map(SnapshotRecord.Bytes::layer)
                .orElseGet(() -> layers.bytes(layer, Optional.empty()).total());
    }

    /** It turned out that nothing is to be taken. */
    void release() {
        reservation.release();
    }

    @Override
    public void giveUp() {
        givenUp = true;
    }

    @Override
    public void undo(RuntimeException cause) {
        try {
            letGoOfBefore();
            if (record == null) {
                return;
            }
            if (wish.keepsVolumes()) {
                volumes.letGo(id);
            }
            ledger.withdraw(id);
            layers.removeUnused();
            memories.removeUnused();
        } catch (RuntimeException problem) {
            LOG.error("What was made of {} could not be taken away; it is done at the next start", id, problem);
            cause.addSuppressed(problem);
        } finally {
            reservation.release();
        }
    }
}
