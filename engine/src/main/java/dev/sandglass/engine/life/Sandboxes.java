package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.Agents;
import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.Position;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxList;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.UpdateSandbox;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sandboxes of this machine. Thread-safe: one lock per sandbox, none across sandboxes. */
public final class Sandboxes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sandboxes.class);

    private final Ledger ledger;
    private final Construction construction;
    private final Admission admission;
    private final Locks locks = new Locks();
    private final Roster roster;
    private final Power power;
    private final Demolition demolition;
    private final Alteration alteration;
    private final Capturing capturing;
    private final Attendance attendance;
    private final Spares spares;
    private final Creation creation;
    private final Suspension suspension;
    private final HostClock clock;
    private volatile Optional<Foundation> foundation = Optional.empty();

    private Sandboxes(
            Ledger ledger, Construction construction, Admission admission, Images images, Agents agents, HostClock clock, Spares spares) {
        this.ledger = ledger;
        this.clock = clock;
        this.construction = construction;
        this.admission = admission;
        this.roster = new Roster(ledger, construction, locks);
        this.power = new Power(ledger, construction, roster, images, agents::current, clock);
        this.demolition = new Demolition(ledger, construction, roster);
        this.alteration = new Alteration(ledger, construction, roster);
        this.capturing = new Capturing(ledger, construction, roster);
        this.spares = spares;
        Supplier<Foundation> files = () -> foundation.orElseThrow();
        this.suspension = new Suspension(ledger, construction, capturing, power, roster, images, agents::current, files);
        this.attendance = new Attendance(ledger, locks, roster, power, demolition, capturing, suspension, files, clock);
        roster.watchEnds(attendance::bringBack);
        this.creation = new Creation(ledger, construction, admission, images, agents, locks, roster, power, spares, clock, files, this::undo);
    }

    /**
     * Takes over what an earlier daemon left, then serves.
     *
     * @param runtimes in the order in which {@code auto} prefers them
     * @param directory where the identities of sandboxes are kept
     * @param keepsSpares whether a sandbox like the last ones is started ahead
     */
    public static Sandboxes open(
            Ledger ledger, Pool pool, List<Runtime> runtimes, Agents agents, Images images, Path directory, Defaults defaults, boolean keepsSpares)
            throws InterruptedException {
        Map<String, Runtime> byName = new LinkedHashMap<>();
        runtimes.forEach(runtime -> byName.put(runtime.name(), runtime));
        Construction construction = new Construction(pool, byName, agents, directory);
        HostClock clock = new HostClock();
        Admission admission = new Admission(defaults, byName, clock);
        Sandboxes sandboxes =
                new Sandboxes(ledger, construction, admission, images, agents, clock, new Spares(construction, keepsSpares));
        new Adoption(ledger, construction, sandboxes.roster, sandboxes.power, sandboxes.suspension, sandboxes.demolition).run();
        ledger.sandboxes().forEach(sandboxes.attendance::note);
        return sandboxes;
    }

    /** Makes a sandbox; returns when its agent answers. What was made is taken away again when it fails. */
    public Sandbox create(CreateSandbox request) {
        return noted(creation.create(request));
    }

    /** Makes a sandbox, or gives the one back that was made with the same key; whoever comes meanwhile waits for it. */
    public Sandbox createOnce(CreateSandbox request, String key) {
        return noted(creation.createOnce(request, key));
    }

    public Sandbox get(String ref) {
        return Views.of(ledger.resolve(ref));
    }

    /** The sandbox with that id if it came to run and is still there, whatever has become of it since. */
    public Optional<Sandbox> made(String id) {
        return ledger.find(new SandboxId(id)).filter(Sandboxes::isMade).map(Views::of);
    }

    private static boolean isMade(SandboxRecord record) {
        return switch (record.state()) {
            case SandboxState.Running _,
                    SandboxState.Stopping(),
                    SandboxState.Stopped _,
                    SandboxState.Starting(),
                    SandboxState.Failed _,
                    SandboxState.Paused _,
                    SandboxState.Resuming _ ->
                true;
            case SandboxState.Creating(), SandboxState.Destroying(), SandboxState.Destroyed() -> false;
        };
    }

    public List<Sandbox> list() {
        return ledger.sandboxes().stream().map(Views::of).toList();
    }

    /** Ends all processes of a sandbox, gently for as long as the grace lasts, and keeps its disk; fine if nothing runs. */
    public Sandbox stop(String ref, Duration grace) {
        return changed(ref, record -> power.stop(record, grace));
    }

    /** Starts a sandbox that was stopped or has failed, on the disk that it left; fine if it runs. */
    public Sandbox start(String ref) {
        return changed(ref, power::start);
    }

    /** Changes limits, name, labels and deadlines; what cannot be put in force is not changed. */
    public Sandbox update(String ref, UpdateSandbox request) {
        return changed(ref, record -> alteration.apply(record, admission.revise(record, request)));
    }

    private interface Change {
        SandboxRecord apply(SandboxRecord record) throws InterruptedException;
    }

    /** Makes a change under the sandbox's lock, to the record as it is then. */
    private Sandbox changed(String ref, Change change) {
        SandboxId id = ledger.resolve(ref).id();
        try (Locks.Held _ = locks.hold(id)) {
            SandboxRecord record = ledger.resolve(id.text());
            try {
                return noted(change.apply(record));
            } catch (RuntimeException | InterruptedException problem) {
                throw failure(record, problem);
            }
        }
    }

    /** Why processes cannot be captured on a runtime; empty if they can. */
    public Optional<String> obstacleToMemory(String runtime) {
        return construction.runtime(runtime).obstacleToMemory();
    }

    /** What must be the same where captured processes go on. */
    public Map<String, String> traits(String runtime) {
        return construction.runtime(runtime).traits();
    }

    /** Lets a running sandbox stand still, or takes one that is stopped, and captures its tree; it goes on whether that works or not. */
    public void capture(String ref, Capture capture) {
        changed(ref, record -> capturing.capture(record, capture));
    }

    /** Who has the files of snapshots. */
    public void foundation(Foundation files) {
        foundation = Optional.of(files);
    }

    /**
     * Keeps the processes of a sandbox and frees their memory, until it is resumed; fine if it is paused.
     *
     * @param diskOnly whether its processes are ended instead
     */
    public Sandbox pause(String ref, boolean diskOnly) {
        return changed(ref, record -> suspension.pause(record, diskOnly));
    }

    /**
     * Lets a sandbox go on that is paused; fine if it runs.
     *
     * @param diskOnly whether it starts anew on its disk, and what ran in it is given up
     */
    public Sandbox resume(String ref, boolean diskOnly) {
        return changed(ref, record -> suspension.resume(record, diskOnly));
    }

    /**
     * Makes a sandbox what it was, or another of its line, under its own id and name. What it is now is kept first.
     *
     * @param snapshot its name or id; none for what it was before it was last turned back
     * @param diskOnly whether it starts anew on the snapshot's disk
     */
    public Sandbox rewind(String ref, Optional<String> snapshot, boolean diskOnly) {
        return changed(ref, record -> suspension.rewind(record, snapshot, diskOnly));
    }

    /** The name of a sandbox that goes on from a snapshot when it is resumed. */
    public Optional<String> restingAt(SnapshotId snapshot) {
        return ledger.sandboxes().stream().filter(record -> isRestingAt(record.state(), snapshot)).map(SandboxRecord::name).findFirst();
    }

    /** Whether a sandbox goes on from a snapshot, or may be turned back to it by an undo. */
    public boolean goOnFrom(SnapshotId snapshot) {
        return ledger.sandboxes().stream()
                .anyMatch(record -> isRestingAt(record.state(), snapshot) || record.lineage().undo().equals(Optional.of(snapshot)));
    }

    /** Whether a sandbox is there that is captured now and then. */
    public boolean keepsCheckpoints(SandboxId sandbox) {
        return ledger.find(sandbox)
                .filter(record -> !(record.state() instanceof SandboxState.Destroyed))
                .filter(record -> record.deadlines().lifecycle().checkpoints().isPresent())
                .isPresent();
    }

    private static boolean isRestingAt(SandboxState state, SnapshotId snapshot) {
        return switch (state) {
            case SandboxState.Paused(Optional<SnapshotId> at, boolean _) -> at.equals(Optional.of(snapshot));
            case SandboxState.Resuming(Optional<SnapshotId> at, boolean _) -> at.equals(Optional.of(snapshot));
            default -> false;
        };
    }

    /** Does something with the tree of a sandbox, which goes on meanwhile; nothing else is done to it until then. */
    public <T> T onTree(String ref, BiFunction<SandboxRecord, String, T> work) {
        SandboxId id = ledger.resolve(ref).id();
        try (Locks.Held _ = locks.hold(id)) {
            SandboxRecord record = ledger.resolve(id.text());
            return construction.onTree(record, tree -> work.apply(record, tree));
        }
    }

    /** Tells of every sandbox that is destroyed from now on. The watcher must be quick. */
    public void watchEnds(Consumer<SandboxRecord> watcher) {
        demolition.watch(watcher);
    }

    /** A page of those that somebody wants to see. */
    public SandboxList list(Listing listing) {
        Optional<Position> after = listing.cursor().map(cursor -> Position.parse(cursor)
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.INVALID_REQUEST,
                        "cursor: it is none (expected: the next_cursor of a page)",
                        "Hand back next_cursor as it is, or leave it out to begin again.")));
        List<SandboxRecord> found = ledger.sandboxes(after, listing::wants, listing.limit() + 1);
        List<SandboxRecord> page = found.subList(0, Math.min(found.size(), listing.limit()));
        String next = found.size() > page.size() ? Position.of(page.getLast()).text() : null;
        return new SandboxList(page.stream().map(Views::of).toList(), next);
    }

    private Sandbox noted(SandboxRecord record) {
        attendance.note(record);
        return Views.of(record);
    }

    /** Ends a sandbox for good, in whatever state it is; fine if its id was destroyed before. */
    public void destroy(String ref) {
        if (SandboxId.isId(ref) && wasDestroyed(new SandboxId(ref))) {
            return;
        }
        SandboxId id = ledger.resolve(ref).id();
        power.hurry(id);
        try (Locks.Held _ = locks.hold(id)) {
            if (!wasDestroyed(id)) {
                demolition.demolish(ledger.resolve(id.text()));
            }
            attendance.forget(id);
        }
    }

    private boolean wasDestroyed(SandboxId id) {
        Optional<SandboxRecord> record = ledger.find(id);
        return record.isPresent() && record.get().state() instanceof SandboxState.Destroyed;
    }

    /** The link to a running sandbox. */
    public GuestLink link(String ref) {
        return running(ref).link();
    }

    /** The running sandbox of that name, id or prefix, after it was resumed if need be; {@code sandbox_not_running} in any other state. */
    public LiveSandbox running(String ref) {
        SandboxRecord record = ledger.resolve(ref);
        boolean rests = record.state() instanceof SandboxState.Paused || record.state() instanceof SandboxState.Resuming;
        if (rests && record.deadlines().lifecycle().autoResume()) {
            changed(record.id().text(), paused -> suspension.resume(paused, false)); // whoever comes meanwhile waits for the lock
        }
        LiveSandbox sandbox = roster.running(ref);
        sandbox.use();
        return sandbox;
    }

    /** Lets all times of a sandbox begin anew. */
    public Sandbox refresh(String ref) {
        return changed(ref, record -> alteration.refresh(record, clock.now()));
    }

    /** Tells of every sandbox whose agent is reached, now and later, maybe twice. The watcher must be quick. */
    public void watch(Consumer<LiveSandbox> watcher) {
        roster.watch(watcher);
    }

    /** Those that run, in no order. */
    public List<LiveSandbox> live() {
        return roster.all();
    }

    /** What a sandbox of that runtime uses now; zeros where nothing of it runs. */
    public Consumption consumption(SandboxId id, String runtime) {
        return construction.consumption(id, construction.runtime(runtime));
    }

    /** Where sandboxes live, and how much room is left. */
    public PoolStatus pool() {
        return construction.pool();
    }

    /** The daemon goes; sandboxes stay. */
    @Override
    public void close() {
        spares.close();
        attendance.close();
        roster.close();
    }

    private void undo(SandboxRecord record, SandglassException cause) {
        try {
            demolition.demolish(ledger.find(record.id()).orElseThrow());
        } catch (RuntimeException problem) {
            LOG.error("What was made of {} could not be taken away; it is tried again", record.id(), problem);
            cause.addSuppressed(problem);
            attendance.again(record.id());
        }
    }

    static SandglassException failure(SandboxRecord record, Exception problem) {
        return switch (problem) {
            case SandglassException known -> known;
            case InterruptedException stopped -> {
                Thread.currentThread().interrupt();
                yield new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
            }
            default ->
                new SandglassException(
                        ErrorCode.INTERNAL,
                        "The sandbox " + record.name() + " could not be dealt with: " + problem,
                        "The daemon's log has the details.",
                        problem);
        };
    }
}
