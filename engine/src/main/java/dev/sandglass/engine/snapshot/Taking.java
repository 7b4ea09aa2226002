package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Capture;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.pool.LayerBytes;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
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

    /** What somebody wants to have. */
    record Wish(SnapshotPurpose purpose, Optional<String> name, String description, Map<String, String> labels, boolean diskOnly) {
        /** For the engine's own use. */
        static Wish of(SnapshotPurpose purpose, boolean diskOnly) {
            return new Wish(purpose, Optional.empty(), "", Map.of(), diskOnly);
        }
    }

    private final SnapshotLedger ledger;
    private final LayerStore layers;
    private final MemoryStore memories;
    private final Sandboxes sandboxes;
    private final Wish wish;
    private final SnapshotId id = SnapshotId.random();
    private @Nullable SnapshotRecord record;
    /** Of the processes that are captured too. */
    private Optional<SnapshotRecord.Memory> memory = Optional.empty();
    /** The last snapshot of the same sandbox, with the layer that has what its tree had then. */
    private Optional<SnapshotRecord> before = Optional.empty();
    private boolean unchanged;
    private long pauseMicros;

    Taking(SnapshotLedger ledger, LayerStore layers, MemoryStore memories, Sandboxes sandboxes, Wish wish) {
        this.ledger = ledger;
        this.layers = layers;
        this.memories = memories;
        this.sandboxes = sandboxes;
        this.wish = wish;
    }

    @Override
    public Optional<Path> prepare(SandboxRecord sandbox, String tree) {
        before = sandbox.lineage().at().flatMap(ledger::find).filter(last -> isOfTheTree(last, sandbox));
        memory = memoryOf(sandbox);
        record = new SnapshotRecord(
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
                Stream.concat(Stream.of(id.text()), sandbox.lineage().layers().stream()).toList(),
                SnapshotRecord.Bytes.UNKNOWN,
                memory,
                sandbox.lineage().generation(),
                0,
                wish.description(),
                wish.labels(),
                Instant.now());
        Trace.step("ledger");
        ledger.insert(record);
        Failpoint.SNAPSHOT_RECORDED.reach();
        Trace.step("settle");
        if (!isUnchanged(tree)) {
            layers.layers().settle(tree);
        }
        Trace.step("pause");
        return memory.map(_ -> memories.make(id));
    }

    /** A sandbox that was turned back stands on the snapshot with a new tree. */
    private static boolean isOfTheTree(SnapshotRecord last, SandboxRecord sandbox) {
        return last.state() == SnapshotState.READY
                && last.sandbox().equals(sandbox.id())
                && last.layers().stream().skip(1).toList().equals(sandbox.lineage().layers());
    }

    /** Processes are captured wherever there are some and the runtime can. */
    private Optional<SnapshotRecord.Memory> memoryOf(SandboxRecord sandbox) {
        boolean wanted = !wish.diskOnly() && sandbox.state() instanceof SandboxState.Running;
        if (!wanted || sandboxes.obstacleToMemory(sandbox.runtime()).isPresent()) {
            return Optional.empty();
        }
        Map<String, String> traits = sandboxes.traits(sandbox.runtime());
        return Optional.of(new SnapshotRecord.Memory(0, sandbox.agent(), sandbox.security(), sandbox.capabilities(), sandbox.limits(), traits));
    }

    private boolean isUnchanged(String tree) {
        return before.filter(last -> layers.layers().isUnchanged(tree, last.layers().getFirst())).isPresent();
    }

    @Override
    public void take(SandboxRecord sandbox, String tree) {
        unchanged = isUnchanged(tree);
        if (!unchanged) {
            layers.layers().snapshot(tree, id.text());
        }
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
        Optional<SnapshotRecord.Memory> whole = memory.map(this::described);
        SnapshotRecord ready = unchanged ? sharing(taken, before.orElseThrow(), whole) : measured(taken, whole);
        Trace.step("ledger, ready");
        ledger.update(ready);
        Failpoint.SNAPSHOT_READY.reach();
        if (unchanged && ledger.find(before.orElseThrow().id()).filter(same -> same.state() == SnapshotState.READY).isEmpty()) {
            throw new SandglassException( // its layer may have gone before this one came to stand on it
                    ErrorCode.CONFLICT, "The snapshot before, with which this one shares all, was deleted meanwhile.", "Try again.");
        }
        return ready;
    }

    private SnapshotRecord.Memory described(SnapshotRecord.Memory captured) {
        Trace.step("memory's manifest");
        long bytes = memories.describe(id, captured.traits()).bytes();
        return new SnapshotRecord.Memory(
                bytes, captured.agent(), captured.security(), captured.capabilities(), captured.limits(), captured.traits());
    }

    private SnapshotRecord sharing(SnapshotRecord taken, SnapshotRecord same, Optional<SnapshotRecord.Memory> whole) {
        return taken.ready(same.layers(), new SnapshotRecord.Bytes(0, same.bytes().total()), whole, pauseMicros);
    }

    private SnapshotRecord measured(SnapshotRecord taken, Optional<SnapshotRecord.Memory> whole) {
        Trace.step("manifest");
        Optional<String> earlier = before.flatMap(last -> last.layers().stream().findFirst());
        layers.describe(id.text(), earlier);
        Trace.step("measure");
        LayerBytes bytes = layers.bytes(id.text(), earlier);
        return taken.ready(taken.layers(), new SnapshotRecord.Bytes(bytes.own(), bytes.total()), whole, pauseMicros);
    }

    @Override
    public void undo(RuntimeException cause) {
        if (record == null) {
            return;
        }
        try {
            ledger.find(id).ifPresent(written -> ledger.update(written.deleted()));
            layers.removeUnused();
            memories.removeUnused();
        } catch (RuntimeException problem) {
            LOG.error("What was made of {} could not be taken away; it is done at the next start", id, problem);
            cause.addSuppressed(problem);
        }
    }
}
