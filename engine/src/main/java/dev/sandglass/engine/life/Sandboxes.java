package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.Agents;
import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.Position;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
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
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sandboxes of this machine. Thread-safe: one lock per sandbox, none across sandboxes. */
public final class Sandboxes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sandboxes.class);

    private static final Duration ANOTHER_TRY = Duration.ofSeconds(10);

    private final Ledger ledger;
    private final Construction construction;
    private final Admission admission;
    private final Locks locks = new Locks();
    private final Roster roster;
    private final Power power;
    private final Demolition demolition;
    private final Alteration alteration;
    private final Capturing capturing;
    private final Timetable timetable;
    private final Spares spares;
    private final Creation creation;

    private Sandboxes(
            Ledger ledger, Construction construction, Admission admission, Images images, Agents agents, HostClock clock, Spares spares) {
        this.ledger = ledger;
        this.construction = construction;
        this.admission = admission;
        this.roster = new Roster(ledger, construction, locks);
        this.power = new Power(ledger, construction, roster, images, agents::current, clock);
        this.demolition = new Demolition(ledger, construction, roster);
        this.alteration = new Alteration(ledger, construction, roster);
        this.capturing = new Capturing(ledger, construction, roster);
        this.timetable = new Timetable(clock, this::destroyIfOver);
        this.spares = spares;
        this.creation = new Creation(ledger, construction, admission, images, agents, locks, roster, power, spares, clock, this::undo);
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
        new Adoption(ledger, construction, sandboxes.roster, sandboxes.power, sandboxes.demolition).run();
        ledger.sandboxes().forEach(sandboxes.timetable::note);
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
            case SandboxState.Running _, SandboxState.Stopping(), SandboxState.Stopped _, SandboxState.Starting(), SandboxState.Failed _ -> true;
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

    /** What is done to a sandbox that stands still. */
    public interface Capture {
        /**
         * It still runs; what takes long is done now, so that the pause is short.
         *
         * @return an empty directory for its processes, if they are to be captured too; only where it runs on a runtime that can
         */
        Optional<Path> prepare(SandboxRecord sandbox, String tree);

        /** Nothing of it runs. */
        void take(SandboxRecord sandbox, String tree);

        /**
         * It runs on if it ran; the sandbox is at this snapshot from now on.
         *
         * @param pause for how long it stood still
         */
        SnapshotId done(Duration pause);
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

    /** The files of snapshots, which belong to somebody else. */
    public interface Foundation {
        /** Refuses, by an exception, a snapshot that is not as it was. */
        void require(SnapshotRecord snapshot, boolean withMemory);

        /** The runtime's image of a full snapshot. */
        Path memory(SnapshotRecord snapshot);
    }

    /** Who has the files of snapshots from which sandboxes are made. */
    public void foundation(Foundation files) {
        creation.foundation(files);
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
        timetable.note(record);
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
            timetable.forget(id);
        }
    }

    private void destroyIfOver(SandboxId id) {
        try {
            Optional<SandboxRecord> seen = ledger.find(id);
            if (seen.isPresent() && timetable.isOver(seen.get())) {
                LOG.info("The time of {} ({}) is over", id, seen.get().name());
                power.hurry(id);
            }
            try (Locks.Held _ = locks.hold(id)) {
                Optional<SandboxRecord> now = ledger.find(id);
                if (now.isPresent() && timetable.isOver(now.get())) {
                    demolition.demolish(now.get());
                } else {
                    now.ifPresent(timetable::note);
                }
            }
        } catch (RuntimeException problem) {
            LOG.error("Sandbox {} could not be destroyed when its time was over; it is tried again", id, problem);
            timetable.wake(id, ANOTHER_TRY);
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

    /** The running sandbox of that name, id or prefix; {@code sandbox_not_running} in any other state. */
    public LiveSandbox running(String ref) {
        return roster.running(ref);
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
        timetable.close();
        roster.close();
    }

    private void undo(SandboxRecord record, SandglassException cause) {
        try {
            demolition.demolish(ledger.find(record.id()).orElseThrow());
        } catch (RuntimeException problem) {
            LOG.error("What was made of {} could not be taken away; it is tried again", record.id(), problem);
            cause.addSuppressed(problem);
            timetable.wake(record.id(), ANOTHER_TRY);
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
