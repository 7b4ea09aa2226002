package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.pool.LayerBytes;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
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
final class Taking implements Sandboxes.Capture {
    private static final Logger LOG = LoggerFactory.getLogger(Taking.class);
    private static final long NANOS_PER_MICRO = 1000;

    private final SnapshotLedger ledger;
    private final LayerStore layers;
    private final Optional<String> name;
    private final String description;
    private final Map<String, String> labels;
    private final SnapshotId id = SnapshotId.random();
    private @Nullable SnapshotRecord record;
    /** The last snapshot of the same sandbox, with the layer that has what its tree had then. */
    private Optional<SnapshotRecord> before = Optional.empty();
    private boolean unchanged;
    private long pauseMicros;

    Taking(SnapshotLedger ledger, LayerStore layers, Optional<String> name, String description, Map<String, String> labels) {
        this.ledger = ledger;
        this.layers = layers;
        this.name = name;
        this.description = description;
        this.labels = labels;
    }

    @Override
    public void prepare(SandboxRecord sandbox, String tree) {
        before = sandbox.lineage().at().flatMap(ledger::find).filter(last -> last.sandbox().equals(sandbox.id()));
        record = new SnapshotRecord(
                id,
                1,
                name,
                SnapshotState.CREATING,
                sandbox.lineage().at(),
                sandbox.id(),
                sandbox.name(),
                sandbox.runtime(),
                sandbox.image(),
                Stream.concat(Stream.of(id.text()), sandbox.lineage().layers().stream()).toList(),
                SnapshotRecord.Bytes.UNKNOWN,
                0,
                description,
                labels,
                Instant.now());
        Trace.step("ledger");
        ledger.insert(record);
        Failpoint.SNAPSHOT_RECORDED.reach();
        Trace.step("settle");
        if (!isUnchanged(tree)) {
            layers.layers().settle(tree);
        }
        Trace.step("pause");
    }

    private boolean isUnchanged(String tree) {
        return before.filter(last -> last.state() == SnapshotState.READY && layers.layers().isUnchanged(tree, last.layers().getFirst())).isPresent();
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
    public SnapshotId done(Duration pause) {
        pauseMicros = pause.toNanos() / NANOS_PER_MICRO;
        return id;
    }

    /** Writes that it is whole. */
    SnapshotRecord publish() {
        SnapshotRecord taken = Objects.requireNonNull(record, "nothing was captured");
        SnapshotRecord ready = unchanged ? sharing(taken, before.orElseThrow()) : measured(taken);
        Trace.step("ledger, ready");
        ledger.update(ready);
        Failpoint.SNAPSHOT_READY.reach();
        if (unchanged && ledger.find(before.orElseThrow().id()).filter(same -> same.state() == SnapshotState.READY).isEmpty()) {
            throw new SandglassException( // its layer may have gone before this one came to stand on it
                    ErrorCode.CONFLICT, "The snapshot before, with which this one shares all, was deleted meanwhile.", "Try again.");
        }
        record = null;
        return ready;
    }

    private SnapshotRecord sharing(SnapshotRecord taken, SnapshotRecord same) {
        return taken.ready(same.layers(), new SnapshotRecord.Bytes(0, same.bytes().total()), pauseMicros);
    }

    private SnapshotRecord measured(SnapshotRecord taken) {
        Trace.step("manifest");
        Optional<String> earlier = before.flatMap(last -> last.layers().stream().findFirst());
        layers.describe(id.text(), earlier);
        Trace.step("measure");
        LayerBytes bytes = layers.bytes(id.text(), earlier);
        return taken.ready(taken.layers(), new SnapshotRecord.Bytes(bytes.own(), bytes.total()), pauseMicros);
    }

    /** Takes away what there is of it. */
    void undo(RuntimeException cause) {
        SnapshotRecord half = record;
        if (half == null) {
            return;
        }
        try {
            ledger.find(id).ifPresent(written -> ledger.update(written.deleted()));
            layers.removeUnused();
        } catch (RuntimeException problem) {
            LOG.error("What was made of {} could not be taken away; it is done at the next start", id, problem);
            cause.addSuppressed(problem);
        }
    }
}
