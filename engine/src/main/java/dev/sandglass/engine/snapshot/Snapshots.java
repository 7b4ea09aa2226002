package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotPosition;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Capture;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.life.Foundation;
import dev.sandglass.engine.life.HostClock;
import dev.sandglass.engine.life.Listing;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.manifest.Manifests;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.ProcessList;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotList;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The snapshots of this machine. Thread-safe. */
public final class Snapshots implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

    private final SnapshotLedger ledger;
    private final Sandboxes sandboxes;
    private final LayerStore layers;
    private final MemoryStore memories;
    private final Chains chains;
    private final Quota quota;
    private final UsedImages images;
    private final HostClock clock = new HostClock();
    private final Retention retention;
    private final KeyedRequests keyed = new KeyedRequests();
    private volatile Consumer<String> removals = _ -> {};

    private Snapshots(SnapshotLedger ledger, Sandboxes sandboxes, LayerStore layers, MemoryStore memories, Quota quota, UsedImages images) {
        this.ledger = ledger;
        this.sandboxes = sandboxes;
        this.layers = layers;
        this.memories = memories;
        this.chains = new Chains(layers);
        this.quota = quota;
        this.images = images;
        this.retention = new Retention(ledger, sandboxes.originals(), clock, this::remove);
    }

    /**
     * Takes over what an earlier daemon left: what it did not finish is removed.
     *
     * @param landing where captured memory may land before it goes to the pool
     * @param directory where the manifests are kept
     * @param most bytes that all of them may take; 0 for four fifths of what the disk has for them
     */
    public static Snapshots open(
            Ledger ledger, Sandboxes sandboxes, Pool pool, Images images, Landing landing, Manifests manifests, Path directory, long most) {
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(directory, "*.new")) {
                for (Path file : unfinished) {
                    Files.delete(file);
                }
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The directory of manifests cannot be prepared", problem);
        }
        Damage damage = Damage.open(directory);
        LayerStore layers = new LayerStore(ledger.snapshots(), ledger.images()::layers, pool.layers(), manifests, directory, damage);
        MemoryStore memories = new MemoryStore(ledger.snapshots(), pool, landing, manifests, directory, damage);
        Quota quota = new Quota(new Holdings(ledger.snapshots(), layers)::shares, most, () -> pool.status().freeBytes());
        layers.watchUnasked(quota::recount);
        Snapshots snapshots = new Snapshots(ledger.snapshots(), sandboxes, layers, memories, quota, new UsedImages(ledger, images));
        sandboxes.watchEnds(snapshots::ended);
        snapshots.retention.begin();
        layers.removeUnused();
        memories.removeUnused();
        layers.remembered().stream()
                .filter(id -> ledger.find(id).filter(sandbox -> !(sandbox.state() instanceof SandboxState.Destroyed)).isEmpty())
                .forEach(layers::forget);
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

    Quota quota() {
        return quota;
    }

    UsedImages images() {
        return images;
    }

    boolean trustsProcesses(String runtime) {
        return sandboxes.originals().trustsProcesses(runtime);
    }

    /** Keeps layers of the pool that no snapshot has, also such as are still to be made, until they are released as often. */
    public void holdLayers(List<String> names) {
        layers.hold(names);
    }

    public void releaseLayers(List<String> names) {
        layers.release(names);
    }

    /** Removes layers on which nothing stands any more. */
    public void removeUnusedLayers() {
        layers.removeUnused();
    }

    /** A snapshot that is ready, by name, id or the beginning of one. */
    public SnapshotRecord resolve(String nameOrId) {
        return ledger.resolve(nameOrId);
    }

    /** Keeps all that a snapshot's disk stands on until that is closed, whatever becomes of the snapshot. One that is not as it was is refused. */
    public Foundation.Held hold(SnapshotRecord snapshot, BooleanSupplier unwanted) {
        images.hold(snapshot.image());
        layers.hold(snapshot.layers());
        Foundation.Held held = () -> {
            layers.release(snapshot.layers());
            images.release(snapshot.image());
        };
        try {
            ledger.resolve(snapshot.id().text()); // held now, so it stays if it is still there
            require(snapshot, false, unwanted);
            return held;
        } catch (RuntimeException problem) {
            held.close();
            throw problem;
        }
    }

    /** What sandboxes begin with, looked over before they do. */
    private final class Checked implements Foundation {
        @Override
        public void require(SnapshotRecord snapshot, boolean withMemory) {
            Snapshots.this.require(snapshot, withMemory, () -> false);
        }

        @Override
        public Held hold(SnapshotRecord snapshot) {
            memories.hold(snapshot.id());
            return () -> memories.release(snapshot.id());
        }

        @Override
        public Path memory(SnapshotRecord snapshot) {
            return memories.path(snapshot.id());
        }

        @Override
        public Capture capture(SnapshotPurpose purpose, boolean diskOnly) {
            return taking(Wish.of(purpose, diskOnly));
        }

        @Override
        public void release(SnapshotId snapshot) {
            ledger.find(snapshot).filter(retention::isFree).ifPresent(Snapshots.this::remove);
        }
    }

    /** Refuses a snapshot that is not as it was when it was taken. */
    void require(SnapshotRecord snapshot, boolean withMemory, BooleanSupplier unwanted) {
        try {
            snapshot.layers().forEach(layer -> layers.require(layer, snapshot.image(), unwanted));
            if (withMemory) {
                snapshot.memory().ifPresent(_ -> memories.require(snapshot, unwanted));
            }
        } catch (SandglassException problem) {
            ledger.resolve(snapshot.id().text()); // one that was deleted meanwhile is not damaged, it is gone
            throw problem;
        }
    }

    /** What was kept for the sandbox itself goes with it. */
    private void ended(SandboxRecord sandbox) {
        if (retention.end(sandbox) || !sandbox.lineage().layers().isEmpty()) {
            layers.removeUnused();
            memories.removeUnused();
        }
        layers.forget(sandbox.id());
        images.leave(sandbox.image());
    }

    /**
     * Captures the disk of a sandbox, which stands still for a moment if it runs.
     *
     * @param key with which it is done once however often it is asked for: then the snapshot is given back as it is now
     */
    public Snapshot create(String sandbox, CreateSnapshot request, Optional<String> key) {
        Optional<IdempotencyKey> once = key.map(text -> IdempotencyKey.of(text, "snapshot of " + sandbox + "\n" + Json.write(request)));
        return sandboxes.stopwatch()
                .time("snapshot", () -> keyed.once(once, it -> ledger.madeBy(it).map(this::shown), () -> taken(sandbox, request, once)));
    }

    /** Captures a sandbox for a build. Unless somebody notes that he needs it, it goes with the sandbox, by the next daemon at the latest. */
    public SnapshotRecord captureForBuild(String sandbox, String description, Map<String, String> labels, boolean diskOnly) {
        return sandboxes.stopwatch().time("snapshot", () -> taken(sandbox, Wish.ofBuild(description, labels, diskOnly)));
    }

    /** Removes what builds need no more; what cannot be removed now, because a sandbox rests at it, stays. */
    public void discard(List<SnapshotId> unneeded) {
        unneeded.forEach(id -> ledger.find(id).filter(snapshot -> snapshot.state() == SnapshotState.READY).ifPresent(this::remove));
        layers.removeUnused();
        memories.removeUnused();
    }

    private Snapshot taken(String sandbox, CreateSnapshot request, Optional<IdempotencyKey> key) {
        return shown(taken(sandbox, Wish.of(request, clock.now(), key))); // what it stands on may be damaged
    }

    private SnapshotRecord taken(String sandbox, Wish wish) {
        Taking taking = taking(wish);
        try {
            sandboxes.originals().capture(sandbox, taking);
            SnapshotRecord taken = taking.publish();
            retention.note(taken);
            return taken;
        } catch (RuntimeException problem) {
            taking.undo(problem);
            throw problem;
        }
    }

    private Taking taking(Wish wish) {
        sandboxes.requireRoom();
        return new Taking(ledger, layers, chains, memories, sandboxes.originals(), quota, wish, sandboxes.volumes());
    }

    /**
     * Makes copies of what a sandbox is, from one pause, or where it rests, with its processes.
     *
     * @param key with which it is done once however often it is asked for: then the copies are given back as they are now
     */
    public Forked forkSandbox(String sandbox, ForkSandbox request, Optional<String> key) {
        return forked("fork of sandbox " + sandbox, request, key, once -> copies(sandbox, request, once));
    }

    private Forked forked(String of, ForkSandbox request, Optional<String> key, Function<Optional<IdempotencyKey>, Forked> fork) {
        Optional<IdempotencyKey> once = key.map(text -> IdempotencyKey.of(text, of + "\n" + Json.write(request)));
        return sandboxes.stopwatch().time("fork", () -> keyed.once(once, this::forkedBefore, () -> fork.apply(once)));
    }

    private Optional<Forked> forkedBefore(IdempotencyKey key) {
        List<Sandbox> copies = sandboxes.madeBy(key);
        return copies.isEmpty() ? Optional.empty() : Optional.of(new Forked(copies, 0));
    }

    private Forked copies(String sandbox, ForkSandbox request, Optional<IdempotencyKey> key) {
        Sandbox source = sandboxes.getWhole(sandbox);
        Forking forking = new Forking(sandboxes, request, Optional.of(source), key);
        SnapshotRecord moment = moment(source.id(), Boolean.TRUE.equals(request.diskOnly()), forking.copiesVolumes());
        try {
            boolean isOfNow = moment.purpose() == SnapshotPurpose.FORK;
            return new Forked(forking.from(moment), isOfNow ? Views.of(moment).pauseMs() : 0);
        } finally {
            letGoOfVolumes(moment);
            retention.giveBack(moment.id());
            ledger.find(moment.id()).ifPresent(this::passed); // what the copies stand on stays as long as they do
        }
    }

    private void letGoOfVolumes(SnapshotRecord moment) {
        if (!moment.volumes().isEmpty()) {
            try {
                sandboxes.volumes().letGo(moment.id());
            } catch (RuntimeException problem) {
                LOG.warn("What was kept of the volumes at {} is removed at the next start", moment.id(), problem);
            }
        }
    }

    /** What a sandbox is now, or where it rests; nobody removes it until it is given back. */
    private SnapshotRecord moment(String sandbox, boolean diskOnly, boolean keepsVolumes) {
        Taking taking = taking(Wish.ofFork(diskOnly, keepsVolumes));
        List<SnapshotId> rest = new ArrayList<>();
        try {
            sandboxes.originals().captureUnlessAtRest(sandbox, taking, at -> {
                retention.lend(at);
                rest.add(at);
            });
            if (!rest.isEmpty()) {
                taking.release();
                return ledger.find(rest.getFirst()).orElseThrow();
            }
            SnapshotRecord taken = taking.publish();
            retention.lend(taken.id());
            return taken;
        } catch (RuntimeException problem) {
            rest.forEach(retention::giveBack);
            taking.undo(problem);
            throw problem;
        }
    }

    /** A fork from it is over. What was captured for that alone is written down like any other if somebody came to need it meanwhile. */
    private void passed(SnapshotRecord snapshot) {
        boolean isRemoved = retention.isFree(snapshot) && remove(snapshot).isEmpty();
        if (!isRemoved && snapshot.purpose() == SnapshotPurpose.FORK && snapshot.state() == SnapshotState.READY) {
            try {
                snapshot.memory().ifPresent(_ -> memories.describe(snapshot, () -> false));
            } catch (RuntimeException problem) { // the copies are there, and whoever came meanwhile has what he needs until this daemon ends
                LOG.warn("{} could not be written down", snapshot.id(), problem);
            }
        }
    }

    /**
     * Makes copies of what a snapshot has.
     *
     * @param key as for those of a sandbox
     */
    public Forked forkSnapshot(String snapshot, ForkSandbox request, Optional<String> key) {
        return forked("fork of snapshot " + snapshot, request, key, once -> {
            Forking forking = new Forking(sandboxes, request, Optional.empty(), once);
            return new Forked(forking.from(ledger.resolve(snapshot)), 0);
        });
    }

    /** The files and processes of a snapshot; one that was deleted has them as long as something stands on all of its layers. */
    public HeldState hold(SnapshotRecord snapshot) {
        snapshot.layers().forEach(layers::requireUndamaged);
        layers.hold(snapshot.layers());
        HeldState state = state(
                "snapshot", snapshot.id().text(), snapshot.name(), snapshot.image(), snapshot.layers(), snapshot.parent(), processes(snapshot));
        if (!ledger.layersInUse().containsAll(snapshot.layers())) {
            state.close();
            throw new SandglassException(
                    ErrorCode.SNAPSHOT_NOT_FOUND,
                    "The snapshot " + snapshot.name().orElse(snapshot.id().text()) + " was deleted.",
                    "`sandglass snapshot ls` lists those that there are.");
        }
        return state;
    }

    private Optional<ProcessList> processes(SnapshotRecord snapshot) {
        return snapshot.memory().isEmpty() ? Optional.of(ProcessList.NONE) : ProcessFile.read(memories.path(snapshot.id()));
    }

    /** What runs in a sandbox, or will run on when it is resumed. */
    private Optional<ProcessList> processes(String sandbox) {
        Optional<SnapshotRecord> rest = sandboxes.originals().restOf(sandbox).flatMap(ledger::find);
        return rest.isPresent() ? processes(rest.get()) : sandboxes.live().processes(sandbox);
    }

    /** The files and processes of a sandbox as they are now; it goes on meanwhile. */
    public HeldState freeze(String ref) {
        Optional<ProcessList> processes = processes(ref); // not under the lock: an agent may take its time
        String own = LayerStore.PASSING + UUID.randomUUID();
        List<String> passing = List.of(own);
        layers.hold(passing);
        try {
            return sandboxes.originals().onTree(ref, (sandbox, tree) -> {
                layers.layers().snapshot(tree, own);
                List<String> all = Stream.concat(passing.stream(), sandbox.lineage().layers().stream()).toList();
                layers.hold(sandbox.lineage().layers());
                return state("sandbox", sandbox.id().text(), Optional.of(sandbox.name()), sandbox.image(), all, sandbox.lineage().at(), processes);
            });
        } catch (RuntimeException problem) {
            layers.release(passing);
            throw problem;
        }
    }

    private HeldState state(
            String kind,
            String id,
            Optional<String> name,
            String image,
            List<String> held,
            Optional<SnapshotId> grownFrom,
            Optional<ProcessList> processes) {
        List<Path> lower = held.stream().map(layers.layers()::lower).toList();
        images.hold(image);
        return new HeldState(kind, id, name, image, lower, grownFrom, processes, () -> {
            try {
                layers.release(held);
            } finally {
                images.release(image);
            }
        });
    }

    public Snapshot get(String ref) {
        return shown(ledger.resolve(ref));
    }

    Snapshot shown(SnapshotRecord snapshot) {
        return Views.of(snapshot, snapshot.layers().stream().anyMatch(layers::isDamaged) || memories.isDamaged(snapshot.id()));
    }

    /**
     * Reads every file of a snapshot, of what it grew from too; {@code snapshot_damaged} names the first that is not as it was. If it is deleted meanwhile that ends
     * soon, with {@code snapshot_not_found}.
     *
     * @param unwanted once it is so, that ends soon with {@code conflict}
     */
    public Snapshot verify(String ref, BooleanSupplier unwanted) {
        SnapshotRecord snapshot = ledger.resolve(ref);
        Presence presence = new Presence(ledger, snapshot.id());
        BooleanSupplier idle = () -> unwanted.getAsBoolean() || presence.isOver();
        try {
            snapshot.layers().forEach(layer -> {
                layers.verify(layer, snapshot.image(), idle);
                Failpoint.VERIFY_LAYER.reach();
            });
            snapshot.memory().ifPresent(_ -> memories.verify(snapshot, idle));
        } catch (SandglassException problem) {
            ledger.resolve(snapshot.id().text()); // one that was deleted meanwhile is not damaged, it is gone
            throw problem;
        }
        return shown(ledger.resolve(snapshot.id().text()));
    }

    /** What all of them take on the disk, shared layers once. */
    public long bytes() {
        return quota.used();
    }

    /** A page of those that somebody wants to see, oldest first. */
    public SnapshotList list(Listing listing) {
        Optional<SnapshotPosition> after = listing.cursor().map(Snapshots::position);
        List<SnapshotRecord> found = ledger.list(after, listing.limit() + 1, listing.all(), record -> isWanted(shown(record), listing));
        List<SnapshotRecord> page = found.subList(0, Math.min(found.size(), listing.limit()));
        String next = found.size() > page.size() ? SnapshotPosition.of(page.getLast()).text() : null;
        return new SnapshotList(page.stream().map(this::shown).toList(), next);
    }

    private static boolean isWanted(Snapshot snapshot, Listing listing) {
        return listing.fits(Objects.requireNonNullElse(snapshot.name(), ""), snapshot.state(), snapshot.runtime(), snapshot.labels());
    }

    private static SnapshotPosition position(String cursor) {
        return SnapshotPosition.parse(cursor)
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.INVALID_REQUEST,
                        "cursor: it is none (expected: the next_cursor of a page)",
                        "Hand back next_cursor as it is, or leave it out to begin again."));
    }

    /** Who is asked before somebody removes a snapshot, by its name and its id; he refuses by an exception. */
    public void watchRemovals(Consumer<String> isToGo) {
        removals = isToGo;
    }

    /** Removes a snapshot: its name is free, and what stands on it goes on. Fine if its id was deleted before. */
    public void delete(String ref) {
        Optional<SnapshotRecord> known = SnapshotId.isId(ref) ? ledger.find(new SnapshotId(ref)) : Optional.empty();
        if (known.filter(snapshot -> snapshot.state() == SnapshotState.DELETED).isPresent()) {
            return;
        }
        // Looked at once only: it may be deleted by somebody else from one look to the next.
        SnapshotRecord found = known.filter(snapshot -> snapshot.state() == SnapshotState.READY).orElseGet(() -> ledger.resolveWhole(ref));
        found.name().ifPresent(removals);
        removals.accept(found.id().text());
        remove(found).ifPresent(sandbox -> {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "The sandbox " + sandbox + " is paused and goes on from " + ref + ".",
                    "Resume it first, or remove it with `sandglass rm " + sandbox + "`.");
        });
    }

    /** Gives back the name of a sandbox that rests at it, because of which it stays. */
    private Optional<String> remove(SnapshotRecord snapshot) {
        Optional<String> resting = ledger.delete(snapshot.id());
        if (resting.isEmpty()) {
            Failpoint.DELETE_RECORDED.reach();
            retention.forget(snapshot.id());
            LOG.info("Deleted {}", snapshot.id());
            layers.removeUnused();
            memories.removeUnused();
            images.leave(snapshot.image());
            Failpoint.DELETE_DONE.reach();
        }
        return resting;
    }

    @Override
    public void close() {
        retention.close();
    }
}
