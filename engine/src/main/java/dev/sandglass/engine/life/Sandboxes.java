package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.Agents;
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
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.trace.Stopwatch;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.MountedVolume;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxList;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.UpdateSandbox;
import dev.sandglass.wire.VolumeMount;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The sandboxes of this machine. Thread-safe: one lock per sandbox, none across sandboxes. */
public final class Sandboxes implements AutoCloseable {
    private static final Duration RESTORE_PATIENCE = Duration.ofMinutes(2);

    private final Ledger ledger;
    private final Construction construction;
    private final Admission admission;
    private final Locks locks = new Locks();
    private final Roster roster;
    private final Power power;
    private final Demolition demolition;
    private final Alteration alteration;
    private final Attendance attendance;
    private final Stocks stocks;
    private final Spares spares;
    private final VolumeStore volumes;
    private final Attaching attaching;
    private final Creation creation;
    private final Suspension suspension;
    private final Changes changes;
    private final Dismissal dismissal;
    private final LiveSandboxes live;
    private final Originals originals;
    private final HostClock clock;
    private final Stopwatch stopwatch = new Stopwatch();
    private volatile Optional<Foundation> foundation = Optional.empty();
    private volatile Consumer<SandboxRecord> names = _ -> {};

    private Sandboxes(
            Ledger ledger, Construction construction, Admission admission, Images images, Agents agents, HostClock clock, Generations generations, Ahead ahead, int processors, VolumeStore volumes) {
        this.ledger = ledger;
        this.clock = clock;
        this.construction = construction;
        this.admission = admission;
        this.roster = new Roster(ledger, construction, locks);
        this.power = new Power(ledger, construction, roster, images, agents::current, clock);
        this.demolition = new Demolition(ledger, construction, roster);
        this.alteration = new Alteration(ledger, construction, roster);
        Capturing capturing = new Capturing(ledger, construction, roster);
        this.volumes = volumes;
        VolumePlan plan = new VolumePlan(ledger, volumes);
        this.attaching = new Attaching(ledger, construction, roster, plan);
        demolition.watch(_ -> volumes.ended());
        Supplier<Foundation> files = () -> foundation.orElseThrow();
        this.stocks = new Stocks(new SpareMaking(construction, generations, clock, files, new Remains(construction)), processors, ahead.poolBytes());
        this.spares = new Spares(stocks, ahead.keepsSpares());
        this.suspension = new Suspension(ledger, construction, capturing, power, roster, images, agents::current, files, generations);
        this.attendance = new Attendance(ledger, construction, locks, roster, power, demolition, capturing, suspension, files, clock, stopwatch);
        roster.watchEnds(attendance::bringBack);
        capturing.watchStandstills(attendance::again);
        this.changes = new Changes(ledger, locks, attendance);
        this.dismissal = new Dismissal(ledger, demolition, attendance, stopwatch);
        this.creation = new Creation(ledger, construction, admission, images, agents, locks, roster, power, stocks, spares, clock, files, dismissal::undo, plan);
        this.live = new LiveSandboxes(ledger, roster, id -> resume(id.text(), false));
        this.originals = new Originals(ledger, construction, locks, changes, capturing);
    }

    /**
     * Takes over what an earlier daemon left, then serves.
     *
     * @param runtimes in the order in which {@code auto} prefers them
     * @param directory where the identities of sandboxes are kept
     * @param freeMemory how many bytes the machine can still give; 0 where that cannot be told
     */
    public static Sandboxes open(
            Ledger ledger, Pool pool, List<Runtime> runtimes, Agents agents, Images images, Path directory, Defaults defaults, Ahead ahead,
            LongSupplier freeMemory, Network network)
            throws InterruptedException {
        Map<String, Runtime> byName = new LinkedHashMap<>();
        runtimes.forEach(runtime -> byName.put(runtime.name(), runtime));
        Construction construction = new Construction(pool, byName, agents, directory, new Restores(defaults.hostCpus(), freeMemory, RESTORE_PATIENCE), network);
        HostClock clock = new HostClock();
        Generations generations = new Generations(ledger);
        Admission admission = new Admission(defaults, byName, clock, generations, new VainRules(network::closed));
        Sandboxes sandboxes =
                new Sandboxes(ledger, construction, admission, images, agents, clock, generations, ahead, defaults.hostCpus(), new VolumeStore(ledger, pool));
        new Adoption(ledger, construction, sandboxes.roster, sandboxes.power, sandboxes.suspension, sandboxes.demolition).run();
        sandboxes.volumes.open();
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

    /** The same of one that begins with what it was asked for and nothing else: it never was one that waited. */
    public Sandbox createAfresh(CreateSandbox request) {
        return stopwatch.time("create", () -> noted(creation.createAfresh(request)));
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

    /** The sandbox with that id if it came to run and is still there, whatever has become of it since. */
    public Optional<Sandbox> made(String id) {
        return ledger.find(new SandboxId(id)).filter(record -> record.state().isMade()).map(this::shown);
    }

    public Sandbox get(String ref) {
        return shown(ledger.resolve(ref));
    }

    /** The same, but that a name must be whole: a snapshot might be meant. */
    public Sandbox getWhole(String ref) {
        return shown(ledger.resolveWhole(ref));
    }

    /** The sandbox with exactly that name or id, if there is one. */
    public Optional<SandboxId> find(String whole) {
        try {
            Optional<SandboxId> running = SandboxId.isId(whole) ? roster.find(new SandboxId(whole)).map(LiveSandbox::id) : Optional.empty();
            return running.or(() -> Optional.of(ledger.resolveWhole(whole)).filter(record -> record.name().equals(whole) || record.id().text().equals(whole)).map(SandboxRecord::id));
        } catch (SandglassException unknown) {
            if (unknown.code() != ErrorCode.SANDBOX_NOT_FOUND && unknown.code() != ErrorCode.AMBIGUOUS_PREFIX) {
                throw unknown;
            }
            return Optional.empty();
        }
    }

    public List<Sandbox> list() {
        return ledger.sandboxes().stream().map(this::shown).toList();
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

    /** Starts a sandbox that was stopped or has failed, on the disk that it left; fine if it runs. */
    public Sandbox start(String ref) {
        return stopwatch.time("start", () -> changed(ref, "start", power::start));
    }

    /**
     * Ends all processes of a sandbox, gently for as long as the grace lasts, and keeps its disk; those with which one that is paused would go on are given up. Fine
     * if it is stopped.
     */
    public Sandbox stop(String ref, Duration grace) {
        return stopwatch.time("stop", () -> changed(ref, "stop", record ->
                record.state() instanceof SandboxState.Paused paused ? suspension.stop(record, paused) : power.stop(record, grace)));
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
        Sandbox turned = stopwatch.time("rewind", () -> changed(ref, "rewind", record -> suspension.rewind(record, snapshot, diskOnly)));
        return turned.volumes().isEmpty() ? turned : turned.withWarning("volumes: " + turned.volumes().stream().map(MountedVolume::name).collect(Collectors.joining(", ")) + " stayed as they are; only the disk and the processes were turned back");
    }

    /** Changes limits, name, labels and deadlines, which count from now; what cannot be put in force is not changed. */
    public Sandbox update(String ref, UpdateSandbox request) {
        if (request.ttl() != null) {
            admission.revise(ledger.resolveWhole(ref), request); // what is refused is no use
            live.keepAwake(ref);
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

    /** Lets all times of a sandbox begin anew. */
    public Sandbox refresh(String ref) {
        live.keepAwake(ref);
        return changed(ref, "refresh", record -> alteration.refresh(record, clock.now()));
    }

    /** What a sandbox may reach; {@code conflict} if it has no network. */
    public Policy policy(String ref) {
        return Alteration.policy(ledger.resolve(ref));
    }

    /** Puts another policy in force, made of the one of now; connections that it forbids end. */
    public Sandbox govern(String ref, UnaryOperator<Policy> change) {
        return changed(ref, "policy", record -> alteration.govern(record, change));
    }

    /** Lets commands of a sandbox get something else from now on when nobody says otherwise. */
    public Sandbox tell(String ref, CommandDefaults commands) {
        return changed(ref, "commands", record -> alteration.tell(record, commands));
    }

    /** Lets the requests of a sandbox get a credential; fine if they do. */
    public Sandbox grant(String ref, String credential) {
        return changed(ref, "grant", record -> alteration.grant(record, credential));
    }

    /** Takes a credential from a sandbox, in force from the next request on. */
    public Sandbox revoke(String ref, String credential) {
        return changed(ref, "revoke", record -> alteration.revoke(record, credential));
    }

    /** Gives a sandbox a volume, whether it runs or not. */
    public Sandbox attach(String ref, VolumeMount mount) {
        return changed(ref, "attach", record -> attaching.attach(record, mount));
    }

    /** Takes a volume from a sandbox; {@code conflict} while its processes use it. */
    public Sandbox detach(String ref, String volume) {
        return changed(ref, "detach", record -> attaching.detach(record, volume));
    }

    /** The volumes, whether sandboxes have them or not. */
    public VolumeStore volumes() {
        return volumes;
    }

    private Sandbox changed(String ref, String operation, Changes.Change change) {
        return shown(changes.make(ref, operation, change));
    }

    /** Ends a sandbox for good, in whatever state it is; fine if its id was destroyed before. */
    public void destroy(String ref) {
        dismissal.destroy(ref, Cause.API);
    }

    /** Ends a sandbox that was made tentatively and never confirmed. If that fails it is tried again until it is gone, by the next daemon at the latest. */
    public void discard(String id) {
        dismissal.discard(id);
    }

    /** Those that run, for whoever wants something of them. */
    public LiveSandboxes live() {
        return live;
    }

    /** Who fills in what a request leaves to a template; asked before anything is made, and he may take his time. */
    public void furnishing(UnaryOperator<CreateSandbox> templates) {
        creation.furnishing(templates);
    }

    /** Those that are started ahead. */
    public Stocks stocks() {
        return stocks;
    }

    /**
     * What sandboxes are like that such a request would make; nothing is made.
     *
     * @param warmUp what is to run in each before it is anybody's
     */
    public Blueprint blueprint(CreateSandbox request, Optional<String> warmUp) {
        return creation.blueprint(request, warmUp);
    }

    /** Those of which snapshots are taken. */
    public Originals originals() {
        return originals;
    }

    /**
     * Who has the files of snapshots. What is due can be done now, as it may need them; and those that ended while no daemon looked, or just before one
     * died, can be brought back.
     */
    public void foundation(Foundation files) {
        foundation = Optional.of(files);
        attendance.begin();
    }

    /** Tells of every sandbox that is destroyed from now on. The watcher must be quick. */
    public void watchEnds(Consumer<SandboxRecord> watcher) {
        demolition.watch(watcher);
    }

    /** Tells of every sandbox that has another name from now on. The watcher must be quick. */
    public void watchNames(Consumer<SandboxRecord> watcher) {
        names = watcher;
    }

    /** What a sandbox of that runtime uses now; zeros where nothing of it runs. */
    public Consumption consumption(SandboxId id, String runtime) {
        return construction.consumption(id, construction.runtime(runtime));
    }

    /** Whether the processes of a sandbox that names no runtime, and has a network, can be captured. */
    public boolean keepsProcesses() {
        return Construction.obstacleToMemory(admission.runtime(null), true).isEmpty();
    }

    /** Asked before anything begins that needs room; {@code disk_full}. */
    public void requireRoom() {
        construction.requireRoom();
    }

    /** Where sandboxes live, and how much room is left. */
    public PoolStatus pool() {
        return construction.pool();
    }

    /** Times what is done to sandboxes, and to their snapshots. */
    public Stopwatch stopwatch() {
        return stopwatch;
    }

    /** The daemon goes; sandboxes stay. */
    @Override
    public void close() {
        spares.close();
        stocks.close();
        attendance.close();
        roster.close();
    }
}
