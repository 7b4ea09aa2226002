package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.Agents;
import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sandboxes of this machine. Thread-safe: one lock per sandbox, none across sandboxes. */
public final class Sandboxes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sandboxes.class);

    private final Ledger ledger;
    private final Construction construction;
    private final Admission admission;
    private final Supplier<Image> image;
    private final Supplier<String> agent;
    private final Clock clock;
    private final Locks locks = new Locks();
    private final Map<SandboxId, LiveSandbox> live = new ConcurrentHashMap<>();
    private volatile boolean closed;

    private Sandboxes(
            Ledger ledger,
            Construction construction,
            Admission admission,
            Supplier<Image> image,
            Supplier<String> agent,
            Clock clock) {
        this.ledger = ledger;
        this.construction = construction;
        this.admission = admission;
        this.image = image;
        this.agent = agent;
        this.clock = clock;
    }

    /**
     * Takes over what an earlier daemon left, then serves.
     *
     * @param runtimes in the order in which {@code auto} prefers them
     * @param directory where the identities of sandboxes are kept
     */
    public static Sandboxes open(
            Ledger ledger,
            Pool pool,
            List<Runtime> runtimes,
            Agents agents,
            Supplier<Image> image,
            Path directory,
            Defaults defaults)
            throws InterruptedException {
        Map<String, Runtime> byName = new LinkedHashMap<>();
        runtimes.forEach(runtime -> byName.put(runtime.name(), runtime));
        Construction construction = new Construction(pool, byName, agents, directory);
        Clock clock = Clock.tickMillis(ZoneOffset.UTC); // as precise as the ledger, so that every answer tells the same time
        Sandboxes sandboxes = new Sandboxes(
                ledger, construction, new Admission(defaults, byName, clock), image, agents::current, clock);
        new Adoption(ledger, construction, sandboxes).run();
        return sandboxes;
    }

    /** Makes a sandbox; returns when its agent answers. What was made is taken away again when it fails. */
    public Sandbox create(CreateSandbox request) {
        Image base = image.get();
        SandboxRecord record = admission.admit(request, base.id(), agent.get());
        try (Locks.Held _ = locks.hold(record.id())) {
            ledger.insert(record);
            Failpoint.CREATE_RECORDED.reach();
            try {
                return view(build(record, base));
            } catch (SandglassException problem) {
                undo(record, problem);
                throw problem;
            } catch (RuntimeException | InterruptedException problem) {
                SandglassException failure = unexpected(record, problem);
                undo(record, failure);
                throw failure;
            }
        }
    }

    private SandboxRecord build(SandboxRecord record, Image base) throws InterruptedException {
        construction.furnish(record);
        MachineProcess process = construction.start(record, base);
        Failpoint.CREATE_STARTED.reach();
        LiveSandbox sandbox = construction.link(
                record.running(new SandboxState.Running(process), clock.instant()), Construction.FIRST_ANSWER);
        Failpoint.CREATE_ANSWERED.reach();
        try {
            ledger.update(sandbox.record());
        } catch (SandglassException problem) {
            sandbox.link().close();
            throw problem;
        }
        Failpoint.CREATE_RUNNING.reach();
        enlist(sandbox, process);
        return sandbox.record();
    }

    /** Takes a sandbox among those that run and sees to it that its end is noticed. */
    void enlist(LiveSandbox sandbox, MachineProcess process) {
        live.put(sandbox.id(), sandbox);
        sandbox.runtime().watch(process, () -> Thread.ofVirtual().start(() -> ended(sandbox)));
    }

    public Sandbox get(String ref) {
        return view(ledger.resolve(ref));
    }

    public List<Sandbox> list() {
        return ledger.sandboxes().stream().map(Sandboxes::view).toList();
    }

    /** Ends a sandbox for good, in whatever state it is; fine if its id was destroyed before. */
    public void destroy(String ref) {
        if (SandboxId.isId(ref) && wasDestroyed(new SandboxId(ref))) {
            return;
        }
        SandboxId id = ledger.resolve(ref).id();
        try (Locks.Held _ = locks.hold(id)) {
            if (!wasDestroyed(id)) {
                demolish(ledger.resolve(id.text()));
            }
        }
    }

    private boolean wasDestroyed(SandboxId id) {
        Optional<SandboxRecord> record = ledger.find(id);
        return record.isPresent() && record.get().state() instanceof SandboxState.Destroyed;
    }

    /** Writes that it goes, takes everything away, writes that it is gone. The caller holds its lock, or is alone. */
    void demolish(SandboxRecord record) {
        SandboxRecord going = record;
        if (!(record.state() instanceof SandboxState.Destroying)) {
            going = record.in(new SandboxState.Destroying());
            ledger.update(going);
        }
        Failpoint.DESTROY_RECORDED.reach();
        LiveSandbox running = live.remove(record.id());
        if (running != null) {
            running.link().close();
        }
        Failpoint.DESTROY_UNLINKED.reach();
        construction.stop(going);
        Failpoint.DESTROY_STOPPED.reach();
        construction.removeTree(going.id());
        Failpoint.DESTROY_TREE.reach();
        construction.removeIdentity(going.id());
        Failpoint.DESTROY_IDENTITY.reach();
        ledger.update(going.in(new SandboxState.Destroyed()));
        Failpoint.DESTROY_DONE.reach();
    }

    /** The link to a running sandbox. */
    public GuestLink link(String ref) {
        return running(ref).link();
    }

    /** The running sandbox of that name, id or prefix; {@code sandbox_not_running} in any other state. */
    public LiveSandbox running(String ref) {
        SandboxRecord record = ledger.resolve(ref);
        LiveSandbox sandbox = live.get(record.id());
        if (sandbox != null && sandbox.link().isOpen()) {
            return sandbox;
        }
        if (record.state() instanceof SandboxState.Running) {
            return relinked(record.id());
        }
        throw notRunning(record);
    }

    /** A link can break while its sandbox lives, or its agent was too busy to be adopted: it is greeted again. */
    private LiveSandbox relinked(SandboxId id) {
        try (Locks.Held _ = locks.hold(id)) {
            LiveSandbox known = live.get(id);
            if (known != null && known.link().isOpen()) {
                return known;
            }
            SandboxRecord record = ledger.find(id).orElseThrow();
            if (closed
                    || !(record.state() instanceof SandboxState.Running(MachineProcess process))
                    || construction.runtime(record).life(process) != Life.ALIVE) {
                throw notRunning(record);
            }
            LiveSandbox again = construction.link(record, Construction.NEXT_ANSWER);
            enlist(again, process);
            return again;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
    }

    private static SandglassException notRunning(SandboxRecord record) {
        String state = record.state() instanceof SandboxState.Running ? "ending" : stateText(record);
        return new SandglassException(
                ErrorCode.SANDBOX_NOT_RUNNING,
                "The sandbox " + record.name() + " is " + state + ", not running.",
                "`sandglass inspect " + record.name() + "` tells more; `sandglass rm` removes it.");
    }

    /** The daemon goes; sandboxes stay. */
    @Override
    public void close() {
        closed = true;
        live.values().forEach(sandbox -> sandbox.link().close());
        live.clear();
    }

    private void ended(LiveSandbox sandbox) {
        try (Locks.Held _ = locks.hold(sandbox.id())) {
            if (closed || !live.remove(sandbox.id(), sandbox)) {
                return; // destroyed meanwhile, or the daemon is stopping
            }
            sandbox.link().close();
            bury(ledger.resolve(sandbox.id().text()));
        } catch (RuntimeException problem) {
            LOG.error("The end of {} could not be recorded; it is done at the next start", sandbox.id(), problem);
        }
    }

    /** Records that a sandbox ended by itself, and why, and takes away what its processes left. Its disk stays. */
    void bury(SandboxRecord record) {
        boolean outOfMemory = construction.runtime(record).usage(record.id()).oomKills() > 0;
        SandboxRecord failed = record.in(new SandboxState.Failed(outOfMemory ? "oom" : "exited"));
        ledger.update(failed);
        LOG.warn("Sandbox {} ({}) has ended by itself: {}", record.id(), record.name(), outOfMemory ? "oom" : "exited");
        construction.stop(failed);
    }

    private void undo(SandboxRecord record, SandglassException cause) {
        try {
            demolish(ledger.find(record.id()).orElseThrow());
        } catch (RuntimeException problem) {
            LOG.error("What was made of {} could not be taken away; it is done at the next start", record.id(), problem);
            cause.addSuppressed(problem);
        }
    }

    private static SandglassException unexpected(SandboxRecord record, Exception problem) {
        if (problem instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", problem);
        }
        return new SandglassException(
                ErrorCode.INTERNAL, "The sandbox " + record.name() + " could not be made: " + problem, "The daemon's log has the details.", problem);
    }

    private static String stateText(SandboxRecord record) {
        String reason = reason(record.state());
        return record.state().text() + (reason == null ? "" : " (" + reason + ")");
    }

    private static @Nullable String reason(SandboxState state) {
        return switch (state) {
            case SandboxState.Stopped(String reason) -> reason;
            case SandboxState.Failed(String reason) -> reason;
            case SandboxState.Creating() -> null;
            case SandboxState.Running _ -> null;
            case SandboxState.Destroying() -> null;
            case SandboxState.Destroyed() -> null;
        };
    }

    static Sandbox view(SandboxRecord record) {
        long mib = 1 << 20;
        return new Sandbox(
                record.id().text(),
                record.name(),
                record.state().text(),
                reason(record.state()),
                record.runtime(),
                record.security().text(),
                record.limits().memoryBytes() / mib,
                record.limits().cpus(),
                record.limits().diskBytes() / mib,
                record.limits().processes(),
                record.env(),
                record.labels(),
                record.image(),
                record.createdAt(),
                record.startedAt().orElse(null),
                record.state() instanceof SandboxState.Running(MachineProcess process) ? process.pid() : null,
                record.warnings());
    }
}
