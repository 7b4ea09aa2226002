package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.Agents;
import dev.sandglass.engine.guest.GuestProcesses;
import dev.sandglass.engine.guest.UnsentException;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.Position;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.network.Network;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.trace.Stopwatch;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.ProcessList;
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
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sandboxes of this machine. Thread-safe: one lock per sandbox, none across sandboxes. */
public final class Sandboxes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sandboxes.class);
    private static final Duration RESTORE_PATIENCE = Duration.ofMinutes(2);

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
    private final Stopwatch stopwatch = new Stopwatch();
    private volatile Optional<Foundation> foundation = Optional.empty();
    private volatile Consumer<SandboxRecord> names = _ -> {};

    private Sandboxes(
            Ledger ledger, Construction construction, Admission admission, Images images, Agents agents, HostClock clock, Generations generations, Spares spares) {
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
        this.suspension = new Suspension(ledger, construction, capturing, power, roster, images, agents::current, files, generations);
        this.attendance = new Attendance(ledger, construction, locks, roster, power, demolition, capturing, suspension, files, clock, stopwatch);
        roster.watchEnds(attendance::bringBack);
        capturing.watchStandstills(attendance::again);
        this.creation = new Creation(ledger, construction, admission, images, agents, locks, roster, power, spares, clock, files, this::undo);
    }

    /**
     * Takes over what an earlier daemon left, then serves.
     *
     * @param runtimes in the order in which {@code auto} prefers them
     * @param directory where the identities of sandboxes are kept
     * @param keepsSpares whether a sandbox like the last ones is started ahead
     * @param freeMemory how many bytes the machine can still give; 0 where that cannot be told
     */
    public static Sandboxes open(
            Ledger ledger, Pool pool, List<Runtime> runtimes, Agents agents, Images images, Path directory, Defaults defaults, boolean keepsSpares,
            LongSupplier freeMemory, Network network)
            throws InterruptedException {
        Map<String, Runtime> byName = new LinkedHashMap<>();
        runtimes.forEach(runtime -> byName.put(runtime.name(), runtime));
        Construction construction = new Construction(pool, byName, agents, directory, new Restores(defaults.hostCpus(), freeMemory, RESTORE_PATIENCE), network);
        HostClock clock = new HostClock();
        Generations generations = new Generations(ledger);
        Admission admission = new Admission(defaults, byName, clock, generations);
        Sandboxes sandboxes =
                new Sandboxes(ledger, construction, admission, images, agents, clock, generations, new Spares(construction, generations, keepsSpares));
        new Adoption(ledger, construction, sandboxes.roster, sandboxes.power, sandboxes.suspension, sandboxes.demolition).run();
        return sandboxes;
    }

    /** Makes a sandbox; returns when its agent answers. What was made is taken away again when it fails. */
    public Sandbox create(CreateSandbox request) {
        return stopwatch.time("create", () -> noted(creation.create(request)));
    }

    /** Makes a sandbox, or gives the one back that was made with the same key; whoever comes meanwhile waits for it. */
    public Sandbox createOnce(CreateSandbox request, String key) {
        return stopwatch.time("create", () -> noted(creation.createOnce(request, key)));
    }

    /** Makes a sandbox that is not to be there alone, or not for long: a daemon that finds it unconfirmed takes it away. */
    public Sandbox createTentatively(CreateSandbox request) {
        return stopwatch.time("create", () -> noted(creation.createTentatively(request)));
    }

    /**
     * All that belong together are there, and stay.
     *
     * @param key by what their client calls the request, if it does
     */
    public void confirm(List<Sandbox> together, Optional<IdempotencyKey> key) {
        List<SandboxId> ids = together.stream().map(sandbox -> new SandboxId(sandbox.id())).toList();
        key.ifPresentOrElse(once -> ledger.confirm(ids, once), () -> ledger.confirm(ids));
    }

    /** Those that were confirmed with a key, as they are now; none if there are none. */
    public List<Sandbox> madeBy(IdempotencyKey key) {
        return ledger.madeBy(key).stream().map(this::shown).toList();
    }

    public Sandbox get(String ref) {
        return shown(ledger.resolve(ref));
    }

    /** The same, but that a name must be whole: a snapshot might be meant. */
    public Sandbox getWhole(String ref) {
        return shown(ledger.resolveWhole(ref));
    }

    /** The sandbox with that id if it came to run and is still there, whatever has become of it since. */
    public Optional<Sandbox> made(String id) {
        return ledger.find(new SandboxId(id)).filter(Sandboxes::isMade).map(this::shown);
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
            case SandboxState.Creating(), SandboxState.Destroying _, SandboxState.Destroyed _ -> false;
        };
    }

    public List<Sandbox> list() {
        return ledger.sandboxes().stream().map(this::shown).toList();
    }

    /**
     * Ends all processes of a sandbox, gently for as long as the grace lasts, and keeps its disk; those with which one that is paused would go on are given up. Fine
     * if it is stopped.
     */
    public Sandbox stop(String ref, Duration grace) {
        return stopwatch.time("stop", () -> changed(ref, "stop", record ->
                record.state() instanceof SandboxState.Paused paused ? suspension.stop(record, paused) : power.stop(record, grace)));
    }

    /** Starts a sandbox that was stopped or has failed, on the disk that it left; fine if it runs. */
    public Sandbox start(String ref) {
        return stopwatch.time("start", () -> changed(ref, "start", power::start));
    }

    /** Changes limits, name, labels and deadlines, which count from now; what cannot be put in force is not changed. */
    public Sandbox update(String ref, UpdateSandbox request) {
        if (request.ttl() != null) {
            admission.revise(ledger.resolveWhole(ref), request); // what is refused is no use
            keepAwake(ref);
        }
        return changed(ref, "update", record -> {
            SandboxRecord next = alteration.apply(record, admission.revise(record, request));
            if (!next.name().equals(record.name())) {
                names.accept(next);
            }
            attendance.discardCheckpoints(next);
            return next;
        });
    }

    /** What a sandbox may reach; {@code conflict} if it has no network. */
    public Policy policy(String ref) {
        return Alteration.policy(ledger.resolve(ref));
    }

    /** Puts another policy in force, made of the one of now; connections that it forbids end. */
    public Sandbox govern(String ref, UnaryOperator<Policy> change) {
        return changed(ref, "policy", record -> alteration.govern(record, change));
    }

    /** Lets the requests of a sandbox get a credential; fine if they do. */
    public Sandbox grant(String ref, String credential) {
        return changed(ref, "grant", record -> alteration.grant(record, credential));
    }

    /** Takes a credential from a sandbox, in force from the next request on. */
    public Sandbox revoke(String ref, String credential) {
        return changed(ref, "revoke", record -> alteration.revoke(record, credential));
    }

    private interface Change {
        SandboxRecord apply(SandboxRecord record) throws InterruptedException;
    }

    /** Makes a change under the sandbox's lock, to the record as it is then. */
    private Sandbox changed(String ref, String operation, Change change) {
        SandboxId id = ledger.resolveWhole(ref).id(); // not by the beginning of a name: most changes cannot be undone
        try (Locks.Held _ = locks.hold(id, operation, Locks.PATIENCE)) {
            SandboxRecord record = ledger.resolve(id.text());
            try {
                return noted(change.apply(record));
            } catch (RuntimeException | InterruptedException problem) {
                throw failure(record, problem);
            }
        }
    }

    /** Why the processes of a sandbox cannot be captured; empty if they can. */
    public Optional<String> obstacleToMemory(SandboxRecord sandbox) {
        return construction.obstacleToMemory(sandbox);
    }

    /** What runs in a sandbox now, without the agent's own; empty if that is not known. */
    public Optional<ProcessList> processes(String ref) {
        return switch (ledger.resolve(ref).state()) {
            case SandboxState.Running _ -> asked(ref);
            case SandboxState.Stopped _, SandboxState.Failed _ -> Optional.of(ProcessList.NONE);
            case SandboxState.Paused(Optional<SnapshotId> at, _, _) -> at.isEmpty() ? Optional.of(ProcessList.NONE) : Optional.empty();
            case SandboxState.Creating(),
                    SandboxState.Starting(),
                    SandboxState.Stopping(),
                    SandboxState.Resuming _,
                    SandboxState.Destroying _,
                    SandboxState.Destroyed _ ->
                Optional.empty();
        };
    }

    private Optional<ProcessList> asked(String ref) {
        try {
            return GuestProcesses.ask(roster.running(ref).link());
        } catch (SandglassException notReached) {
            return Optional.empty();
        }
    }

    /** Whether processes that were captured on a runtime elsewhere may go on here; those of an unknown one never do. */
    public boolean trustsProcesses(String runtime) {
        return !construction.capturesOnHost(runtime);
    }

    /** What must be the same where captured processes go on. */
    public Map<String, String> traits(SandboxRecord sandbox) {
        return construction.runtime(sandbox).traits(sandbox.network().isPresent());
    }

    /** Lets a running sandbox stand still, or takes one that is stopped, and captures its tree; it goes on whether that works or not. */
    public void capture(String ref, Capture capture) {
        changed(ref, "snapshot", record -> capturing.capture(record, capture));
    }

    /**
     * The same, unless the sandbox rests at a snapshot that has all with which it will go on.
     *
     * @param rest is given that snapshot then, while nothing else is done to the sandbox
     */
    public void captureUnlessAtRest(String ref, Capture capture, Consumer<SnapshotId> rest) {
        changed(ref, "fork", record -> {
            Optional<SnapshotId> at = restOf(record);
            at.ifPresent(rest);
            return at.isPresent() ? record : capturing.capture(record, capture);
        });
    }

    /** The snapshot at which a sandbox rests now, with all with which it will go on. */
    public Optional<SnapshotId> restOf(String ref) {
        return restOf(ledger.resolve(ref));
    }

    private static Optional<SnapshotId> restOf(SandboxRecord record) {
        return record.state() instanceof SandboxState.Paused(Optional<SnapshotId> at, boolean rebuild, _) && !rebuild ? at : Optional.empty();
    }

    /**
     * Who has the files of snapshots. What is due can be done now, as it may need them; and those that ended while no daemon looked, or just before one
     * died, can be brought back: one after the other.
     */
    public void foundation(Foundation files) {
        foundation = Optional.of(files);
        List<SandboxRecord> there = ledger.sandboxes();
        there.forEach(attendance::note);
        List<SandboxId> ended = there.stream().filter(attendance::isToComeBack).map(SandboxRecord::id).toList();
        Thread.ofVirtual().name("bring-back").start(() -> ended.forEach(this::bringBack));
    }

    private void bringBack(SandboxId id) {
        try (Locks.Held _ = locks.hold(id, "its return")) {
            ledger.find(id).filter(attendance::isToComeBack).ifPresent(attendance::bringBack);
        } catch (RuntimeException problem) {
            LOG.error("Sandbox {} could not be brought back", id, problem);
        }
    }

    /**
     * Keeps the processes of a sandbox and frees their memory, until it is resumed; fine if it is paused.
     *
     * @param diskOnly whether its processes are ended instead
     */
    public Sandbox pause(String ref, boolean diskOnly) {
        return stopwatch.time("pause", () -> changed(ref, "pause", record -> suspension.pause(record, diskOnly, Cause.API)));
    }

    /**
     * Lets a sandbox go on that is paused; fine if it runs.
     *
     * @param diskOnly whether it starts anew on its disk, and what ran in it is given up
     */
    public Sandbox resume(String ref, boolean diskOnly) {
        return stopwatch.time("resume", () -> changed(ref, "resume", record -> suspension.resume(record, diskOnly)));
    }

    /**
     * Makes a sandbox what it was, or another of its line, under its own id and name. What it is now is kept first.
     *
     * @param snapshot its name or id; none for what it was before it was last turned back
     * @param diskOnly whether it starts anew on the snapshot's disk
     */
    public Sandbox rewind(String ref, Optional<String> snapshot, boolean diskOnly) {
        return stopwatch.time("rewind", () -> changed(ref, "rewind", record -> suspension.rewind(record, snapshot, diskOnly)));
    }

    /** Whether a sandbox goes on from a snapshot, or may be turned back to it by an undo. */
    public boolean goOnFrom(SnapshotId snapshot) {
        Optional<SnapshotId> it = Optional.of(snapshot);
        return ledger.sandboxes().stream().anyMatch(record -> record.state().restsAt().equals(it) || record.lineage().undo().equals(it));
    }

    /** Whether a sandbox is there that is captured now and then. */
    public boolean keepsCheckpoints(SandboxId sandbox) {
        return ledger.find(sandbox)
                .filter(record -> !(record.state() instanceof SandboxState.Destroyed))
                .filter(record -> record.deadlines().lifecycle().checkpoints().isPresent())
                .isPresent();
    }

    /** Does something with the tree of a sandbox, which goes on meanwhile; nothing else is done to it until then. */
    public <T> T onTree(String ref, BiFunction<SandboxRecord, String, T> work) {
        SandboxId id = ledger.resolve(ref).id();
        try (Locks.Held _ = locks.hold(id, "diff", Locks.PATIENCE)) {
            SandboxRecord record = ledger.resolve(id.text());
            return construction.onTree(record, tree -> work.apply(record, tree));
        }
    }

    /** Tells of every sandbox that is destroyed from now on. The watcher must be quick. */
    public void watchEnds(Consumer<SandboxRecord> watcher) {
        demolition.watch(watcher);
    }

    /** Tells of every sandbox that has another name from now on. The watcher must be quick. */
    public void watchNames(Consumer<SandboxRecord> watcher) {
        names = watcher;
    }

    /** A page of those that somebody wants to see. */
    public SandboxList list(Listing listing) {
        Optional<Position> after = listing.cursor().map(cursor -> Position.parse(cursor)
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.INVALID_REQUEST,
                        "cursor: it is none (expected: the next_cursor of a page)",
                        "Hand back next_cursor as it is, or leave it out to begin again.")));
        List<SandboxRecord> found = ledger.sandboxes(after, listing.history(), listing::wants, listing.limit() + 1);
        List<SandboxRecord> page = found.subList(0, Math.min(found.size(), listing.limit()));
        String next = found.size() > page.size() ? Position.of(page.getLast()).text() : null;
        return new SandboxList(page.stream().map(this::shown).toList(), next);
    }

    private Sandbox shown(SandboxRecord record) {
        return Views.of(record, attendance.outlook(record));
    }

    private Sandbox noted(SandboxRecord record) {
        attendance.note(record);
        return shown(record);
    }

    /** Ends a sandbox for good, in whatever state it is; fine if its id was destroyed before. */
    public void destroy(String ref) {
        destroy(ref, Cause.API);
    }

    private void destroy(String ref, Cause cause) {
        if (SandboxId.isId(ref) && wasDestroyed(new SandboxId(ref))) {
            return;
        }
        stopwatch.time("destroy", () -> end(ledger.resolveWhole(ref).id(), cause));
    }

    /** Ends a sandbox that was made tentatively and never confirmed. If that fails it is tried again until it is gone, by the next daemon at the latest. */
    public void discard(String id) {
        try {
            destroy(id, Cause.DISCARDED);
        } catch (RuntimeException problem) {
            attendance.discard(new SandboxId(id));
            throw problem;
        }
    }

    private SandboxId end(SandboxId id, Cause cause) {
        try (Locks.Held _ = attendance.seize(id, "destroy")) {
            if (!wasDestroyed(id)) {
                demolition.demolish(ledger.resolve(id.text()), cause);
            }
            attendance.forget(id);
        }
        return id;
    }

    private boolean wasDestroyed(SandboxId id) {
        Optional<SandboxRecord> record = ledger.find(id);
        return record.isPresent() && record.get().state() instanceof SandboxState.Destroyed;
    }

    /** The running sandbox of that name, id or prefix, after it was resumed if need be; {@code sandbox_not_running} in any other state. */
    public LiveSandbox running(String ref) {
        Optional<LiveSandbox> reached = SandboxId.isId(ref) ? roster.reached(new SandboxId(ref)) : Optional.empty();
        LiveSandbox sandbox = reached.orElseGet(() -> awake(ref));
        sandbox.use();
        return sandbox;
    }

    /** The same, but one that rests is left at rest: {@code sandbox_not_running}. */
    public LiveSandbox runningAlready(String ref) {
        LiveSandbox sandbox = (SandboxId.isId(ref) ? roster.reached(new SandboxId(ref)) : Optional.<LiveSandbox>empty()).orElseGet(() -> roster.running(ref));
        sandbox.use();
        return sandbox;
    }

    private LiveSandbox awake(String ref) {
        SandboxRecord record = ledger.resolve(ref);
        try {
            return wake(record) ? roster.running(ref) : roster.running(record);
        } catch (SandglassException refused) {
            if (refused.code() != ErrorCode.SANDBOX_NOT_RUNNING || !wake(ledger.resolve(ref))) { // it may have gone to rest just now
                throw refused;
            }
            return roster.running(ref);
        }
    }

    /** Whether a sandbox rests, and is to be woken by use. */
    public boolean isWokenByUse(SandboxId id) {
        return ledger.find(id).filter(Sandboxes::isWokenByUse).isPresent();
    }

    private static boolean isWokenByUse(SandboxRecord record) {
        boolean rests = record.state() instanceof SandboxState.Paused || record.state() instanceof SandboxState.Resuming;
        return rests && record.deadlines().lifecycle().autoResume();
    }

    /** The sandbox with exactly that name or id, if there is one. */
    public Optional<SandboxId> find(String whole) {
        try {
            Optional<SandboxId> live = SandboxId.isId(whole) ? roster.find(new SandboxId(whole)).map(LiveSandbox::id) : Optional.empty();
            return live.isPresent() ? live : Optional.of(ledger.resolveWhole(whole)).filter(record -> record.name().equals(whole) || record.id().text().equals(whole)).map(SandboxRecord::id);
        } catch (SandglassException unknown) {
            if (unknown.code() != ErrorCode.SANDBOX_NOT_FOUND && unknown.code() != ErrorCode.AMBIGUOUS_PREFIX) {
                throw unknown;
            }
            return Optional.empty();
        }
    }

    /** Whether it rested, and is to be woken by use: it runs now. */
    private boolean wake(SandboxRecord record) {
        boolean wakes = isWokenByUse(record);
        if (wakes) {
            resume(record.id().text(), false); // whoever comes meanwhile waits for the lock
        }
        return wakes;
    }

    /** Something that is asked of the agent of a running sandbox. */
    public interface Use<T> {
        T of(LiveSandbox sandbox) throws InterruptedException;
    }

    /** Asks something of a running sandbox; again if it went to rest before the agent heard of it, and use is to wake it. */
    public <T> T use(String ref, Use<T> use) throws InterruptedException {
        LiveSandbox sandbox = running(ref);
        try {
            return use.of(sandbox);
        } catch (UnsentException before) {
            if (!sandbox.record().deadlines().lifecycle().autoResume()) {
                throw before;
            }
            return use.of(running(ref));
        }
    }

    /** Lets all times of a sandbox begin anew. */
    public Sandbox refresh(String ref) {
        keepAwake(ref);
        return changed(ref, "refresh", record -> alteration.refresh(record, clock.now()));
    }

    /** Before its lock is asked for: it may be going to rest, and then that is held. */
    private void keepAwake(String ref) {
        roster.find(ledger.resolveWhole(ref).id()).ifPresent(LiveSandbox::use);
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

    /** Times what is done to sandboxes, and to their snapshots. */
    public Stopwatch stopwatch() {
        return stopwatch;
    }

    /** Bytes of memory that a sandbox has now. */
    public long memoryInUse(SandboxRecord sandbox) {
        return consumption(sandbox.id(), sandbox.runtime()).usage().memoryBytes();
    }

    /** Asked before anything begins that needs room; {@code disk_full}. */
    public void requireRoom() {
        construction.requireRoom();
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
            demolition.demolish(ledger.find(record.id()).orElseThrow(), Cause.DISCARDED);
        } catch (RuntimeException problem) {
            LOG.error("What was made of {} could not be taken away; it is tried again", record.id(), problem);
            cause.addSuppressed(problem);
            attendance.discard(record.id());
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
