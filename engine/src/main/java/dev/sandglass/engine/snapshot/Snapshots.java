package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.life.Capture;
import dev.sandglass.engine.life.Foundation;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.manifest.Manifests;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotList;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The snapshots of this machine. Thread-safe. */
public final class Snapshots {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);
    private static final int MOST_DESCRIPTION = 4096;
    private static final int PAGE = 1000;

    private final SnapshotLedger ledger;
    private final Sandboxes sandboxes;
    private final LayerStore layers;
    private final MemoryStore memories;

    private Snapshots(SnapshotLedger ledger, Sandboxes sandboxes, LayerStore layers, MemoryStore memories) {
        this.ledger = ledger;
        this.sandboxes = sandboxes;
        this.layers = layers;
        this.memories = memories;
    }

    /**
     * Takes over what an earlier daemon left: what it did not finish is removed.
     *
     * @param directory where the manifests are kept
     */
    public static Snapshots open(Ledger ledger, Sandboxes sandboxes, Pool pool, Manifests manifests, Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException problem) {
            throw StorageFailure.of("The directory of manifests cannot be made", problem);
        }
        LayerStore layers = new LayerStore(ledger.snapshots(), pool.layers(), manifests, directory);
        MemoryStore memories = new MemoryStore(ledger.snapshots(), pool, manifests, directory);
        Snapshots snapshots = new Snapshots(ledger.snapshots(), sandboxes, layers, memories);
        sandboxes.watchEnds(snapshots::ended);
        snapshots.removeUnneeded();
        layers.removeUnused();
        memories.removeUnused();
        sandboxes.foundation(snapshots.new Checked());
        return snapshots;
    }

    SnapshotLedger ledger() {
        return ledger;
    }

    LayerStore layers() {
        return layers;
    }

    MemoryStore memories() {
        return memories;
    }

    /** What sandboxes begin with, looked over before they do. */
    private final class Checked implements Foundation {
        @Override
        public void require(SnapshotRecord snapshot, boolean withMemory) {
            snapshot.layers().forEach(layers::require);
            if (withMemory) {
                snapshot.memory().ifPresent(memory -> memories.require(snapshot.id(), memory.traits()));
            }
        }

        @Override
        public Path memory(SnapshotRecord snapshot) {
            return memories.path(snapshot.id());
        }

        @Override
        public Capture capture(SnapshotPurpose purpose, boolean diskOnly) {
            return new Taking(ledger, layers, memories, sandboxes, Taking.Wish.of(purpose, diskOnly));
        }

        @Override
        public void release(SnapshotId snapshot) {
            ledger.find(snapshot).filter(Snapshots.this::isFree).ifPresent(Snapshots.this::remove);
        }
    }

    private void removeUnneeded() {
        Optional<SnapshotId> after = Optional.empty();
        while (true) {
            List<SnapshotRecord> page = ledger.list(after, PAGE, true);
            page.stream().filter(this::isUnneeded).forEach(snapshot -> ledger.update(snapshot.deleted()));
            if (page.size() < PAGE) {
                return;
            }
            after = Optional.of(page.getLast().id());
        }
    }

    /** Half made, or kept for a sandbox that does not need it: the daemon died before it was told. */
    private boolean isUnneeded(SnapshotRecord snapshot) {
        return snapshot.state() == SnapshotState.CREATING || isOutOfUse(snapshot);
    }

    /** What was kept for the sandbox itself goes with it. */
    private void ended(SandboxRecord sandbox) {
        List<SnapshotRecord> ofIt = ledger.of(sandbox.id()).stream()
                .filter(snapshot -> snapshot.purpose() != SnapshotPurpose.FORK && snapshot.state() == SnapshotState.READY && isOutOfUse(snapshot))
                .toList(); // a fork's is its maker's
        ofIt.forEach(snapshot -> ledger.update(snapshot.deleted()));
        if (!ofIt.isEmpty() || !sandbox.lineage().layers().isEmpty()) {
            layers.removeUnused();
            memories.removeUnused();
        }
    }

    /** Taken for a purpose that it has not any more. */
    private boolean isOutOfUse(SnapshotRecord snapshot) {
        boolean isCheckpoint = snapshot.purpose() == SnapshotPurpose.CHECKPOINT && sandboxes.keepsCheckpoints(snapshot.sandbox());
        return isFree(snapshot) && !isCheckpoint;
    }

    /** Taken for a purpose, and no sandbox goes on from it. */
    private boolean isFree(SnapshotRecord snapshot) {
        return snapshot.purpose() != SnapshotPurpose.KEPT && snapshot.state() != SnapshotState.DELETED && !sandboxes.goOnFrom(snapshot.id());
    }

    /** Captures the disk of a sandbox, which stands still for a moment if it runs. */
    public Snapshot create(String sandbox, CreateSnapshot request) {
        String name = request.name() == null ? null : Rules.name(request.name());
        Map<String, String> labels = Rules.pairs("labels", Rules.LABEL, request.labels() == null ? Map.of() : request.labels());
        boolean diskOnly = Boolean.TRUE.equals(request.diskOnly());
        Taking.Wish wish = new Taking.Wish(SnapshotPurpose.KEPT, Optional.ofNullable(name), description(request.description()), labels, diskOnly);
        Taking taking = new Taking(ledger, layers, memories, sandboxes, wish);
        try {
            sandboxes.capture(sandbox, taking);
            return Views.of(taking.publish());
        } catch (RuntimeException problem) {
            taking.undo(problem);
            throw problem;
        }
    }

    /** Makes copies of what a sandbox is, from one pause. */
    public Forked forkSandbox(String sandbox, ForkSandbox request) {
        Sandbox source = sandboxes.get(sandbox);
        Forking forking = new Forking(sandboxes, request, Optional.of(source));
        Taking taking = new Taking(ledger, layers, memories, sandboxes, Taking.Wish.of(SnapshotPurpose.FORK, Boolean.TRUE.equals(request.diskOnly())));
        SnapshotRecord taken;
        try {
            sandboxes.capture(source.id(), taking);
            taken = taking.publish();
        } catch (RuntimeException problem) {
            taking.undo(problem);
            throw problem;
        }
        try {
            return new Forked(forking.from(taken), Views.of(taken).pauseMs());
        } finally {
            ledger.find(taken.id()).filter(this::isFree).ifPresent(this::remove); // what the copies stand on stays as long as they do
        }
    }

    /** Makes copies of what a snapshot has. */
    public Forked forkSnapshot(String snapshot, ForkSandbox request) {
        return new Forked(new Forking(sandboxes, request, Optional.empty()).from(ledger.resolve(snapshot)), 0);
    }

    private static String description(@Nullable String asked) {
        String text = asked == null ? "" : asked;
        if (text.length() > MOST_DESCRIPTION) {
            throw Rules.invalid("description", text.length() + " characters", "at most " + MOST_DESCRIPTION);
        }
        return text;
    }

    /** The files of a snapshot; one that was deleted has them as long as something stands on all of its layers. */
    public HeldState hold(SnapshotRecord snapshot) {
        layers.hold(snapshot.layers());
        HeldState state = state("snapshot", snapshot.id().text(), snapshot.name(), snapshot.image(), snapshot.layers(), snapshot.parent());
        if (!ledger.layersInUse().containsAll(snapshot.layers())) {
            state.close();
            throw new SandglassException(
                    ErrorCode.SNAPSHOT_NOT_FOUND,
                    "The snapshot " + snapshot.name().orElse(snapshot.id().text()) + " was deleted.",
                    "`sandglass snapshot ls` lists those that there are.");
        }
        return state;
    }

    /** The files of a sandbox as they are now; it goes on meanwhile. */
    public HeldState freeze(String ref) {
        String own = "frozen-" + UUID.randomUUID();
        List<String> passing = List.of(own);
        layers.hold(passing);
        try {
            return sandboxes.onTree(ref, (sandbox, tree) -> {
                layers.layers().snapshot(tree, own);
                List<String> all = Stream.concat(passing.stream(), sandbox.lineage().layers().stream()).toList();
                layers.hold(sandbox.lineage().layers());
                return state("sandbox", sandbox.id().text(), Optional.of(sandbox.name()), sandbox.image(), all, sandbox.lineage().at());
            });
        } catch (RuntimeException problem) {
            layers.release(passing);
            throw problem;
        }
    }

    private HeldState state(String kind, String id, Optional<String> name, String image, List<String> held, Optional<SnapshotId> grownFrom) {
        return new HeldState(kind, id, name, image, held.stream().map(layers.layers()::lower).toList(), grownFrom, () -> layers.release(held));
    }

    public Snapshot get(String ref) {
        return Views.of(ledger.resolve(ref));
    }

    /** Reads every file of a snapshot, of what it grew from too; {@code snapshot_damaged} names the first that is not as it was. */
    public Snapshot verify(String ref) {
        SnapshotRecord snapshot = ledger.resolve(ref);
        snapshot.layers().forEach(layers::verify);
        snapshot.memory().ifPresent(memory -> memories.verify(snapshot.id(), memory.traits()));
        return Views.of(snapshot);
    }

    /**
     * A page of them, oldest first.
     *
     * @param all those too that are kept for sandboxes which are paused, were turned back or are captured now and then
     */
    public SnapshotList list(Optional<String> cursor, int limit, boolean all) {
        Optional<SnapshotId> after = cursor.map(Snapshots::position);
        List<SnapshotRecord> found = ledger.list(after, limit + 1, all);
        List<SnapshotRecord> page = found.subList(0, Math.min(found.size(), limit));
        String next = found.size() > page.size() ? page.getLast().id().text() : null;
        return new SnapshotList(page.stream().map(Views::of).toList(), next);
    }

    private static SnapshotId position(String cursor) {
        if (!SnapshotId.isId(cursor)) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST,
                    "cursor: it is none (expected: the next_cursor of a page)",
                    "Hand back next_cursor as it is, or leave it out to begin again.");
        }
        return new SnapshotId(cursor);
    }

    /** Removes a snapshot: its name is free, and what stands on it goes on. Fine if its id was deleted before. */
    public void delete(String ref) {
        if (SnapshotId.isId(ref) && ledger.find(new SnapshotId(ref)).filter(known -> known.state() == SnapshotState.DELETED).isPresent()) {
            return;
        }
        SnapshotRecord snapshot = ledger.resolve(ref);
        sandboxes.restingAt(snapshot.id()).ifPresent(sandbox -> {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "The sandbox " + sandbox + " is paused and goes on from " + ref + ".",
                    "Resume it first, or remove it with `sandglass rm " + sandbox + "`.");
        });
        remove(snapshot);
    }

    private void remove(SnapshotRecord snapshot) {
        ledger.update(snapshot.deleted());
        LOG.info("Deleted {}", snapshot.id());
        layers.removeUnused();
        memories.removeUnused();
    }
}
