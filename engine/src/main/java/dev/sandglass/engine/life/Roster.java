package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.runtime.Usage;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sandboxes that run, with the links to their agents; it notices when one ends by itself. Thread-safe. */
final class Roster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Roster.class);

    private final Ledger ledger;
    private final Construction construction;
    private final Locks locks;
    private final Map<SandboxId, LiveSandbox> live = new ConcurrentHashMap<>();
    /** The processes whose end will be told. */
    private final Map<SandboxId, MachineProcess> attended = new ConcurrentHashMap<>();
    private final List<Consumer<LiveSandbox>> watchers = new CopyOnWriteArrayList<>();
    private volatile Consumer<SandboxRecord> ends = _ -> {};
    private volatile boolean closed;

    Roster(Ledger ledger, Construction construction, Locks locks) {
        this.ledger = ledger;
        this.construction = construction;
        this.locks = locks;
    }

    /** Takes a sandbox among those that run and sees to it that its end is noticed. */
    void enlist(LiveSandbox sandbox, MachineProcess process) {
        number(sandbox);
        live.put(sandbox.id(), sandbox);
        watchers.forEach(watcher -> watcher.accept(sandbox));
        attend(sandbox.record(), process);
    }

    /** Sees to it that the end of a sandbox is noticed, whether its agent is reached or not; once for each process, however often it is said. */
    void attend(SandboxRecord record, MachineProcess process) {
        SandboxId id = record.id();
        if (process.equals(attended.put(id, process))) {
            return;
        }
        try {
            construction.runtime(record).watch(process, () -> Thread.ofVirtual().start(() -> ended(id, process)));
        } catch (RuntimeException unwatched) {
            attended.remove(id, process);
            throw unwatched;
        }
    }

    /** A number that the ledger has, or that an earlier link gave, may be unknown to the agent: it must not come to mean another command. */
    private void number(LiveSandbox sandbox) {
        try {
            sandbox.link().numberAbove(ledger.highestCommand(sandbox.id(), sandbox.record().startedAt().orElseThrow()));
            sandbox.link().numberAbove(sandbox.record().lineage().commands());
        } catch (SandglassException unread) {
            sandbox.link().close();
            throw unread;
        }
        LiveSandbox before = live.get(sandbox.id());
        if (before != null) {
            sandbox.link().numberAbove(before.link().retire());
        }
    }

    /** Tells of every sandbox whose agent is reached, now and later, maybe twice. The watcher must be quick. */
    void watch(Consumer<LiveSandbox> watcher) {
        watchers.add(watcher);
        live.values().forEach(watcher);
    }

    /** Takes a sandbox off: nobody reaches it any more, and its end is not news. Its link is the caller's to close. */
    Optional<LiveSandbox> strike(SandboxId id) {
        return Optional.ofNullable(live.remove(id));
    }

    Optional<LiveSandbox> find(SandboxId id) {
        return Optional.ofNullable(live.get(id));
    }

    /** Who is told of a sandbox that has ended by itself, under its lock. */
    void watchEnds(Consumer<SandboxRecord> watcher) {
        ends = watcher;
    }

    List<LiveSandbox> all() {
        return List.copyOf(live.values());
    }

    /** Takes the new record of a sandbox, and tells its agent where one is reached; one that is not is told when it is. */
    void revise(SandboxRecord next) {
        LiveSandbox sandbox = live.get(next.id());
        if (sandbox == null) {
            return;
        }
        sandbox.revise(next);
        try {
            construction.inform(sandbox);
        } catch (SandglassException deaf) {
            LOG.warn("The agent of {} could not be told what it has now; it is when it answers again: {}", next.id(), deaf.what());
            sandbox.link().close();
        }
    }

    /** The highest number of a command of a sandbox; 0 if its agent is not reached. */
    int highestCommand(SandboxId id) {
        return find(id).map(sandbox -> Math.max(0, sandbox.link().highest())).orElse(0);
    }

    /** The link to a sandbox that runs; the caller holds its lock. */
    GuestLink linked(SandboxId id) {
        LiveSandbox sandbox = live.get(id);
        if (sandbox == null || !sandbox.link().isOpen()) {
            throw new SandglassException(ErrorCode.SANDBOX_NOT_RUNNING, "The agent of " + id + " is not reached.", "Try again.");
        }
        return sandbox.link();
    }

    /** Takes the new record of a sandbox, of which its agent need not know. */
    void note(SandboxRecord next) {
        LiveSandbox sandbox = live.get(next.id());
        if (sandbox != null) {
            sandbox.revise(next);
        }
    }

    /** One that runs and whose agent is reached now: of such a one the ledger need not be asked. */
    Optional<LiveSandbox> reached(SandboxId id) {
        return find(id).filter(sandbox -> sandbox.record().state() instanceof SandboxState.Running && sandbox.link().isOpen());
    }

    /** The running sandbox of that name, id or prefix; {@code sandbox_not_running} in any other state. */
    LiveSandbox running(String ref) {
        return running(ledger.resolve(ref));
    }

    /** The same for a record that was read just now. */
    LiveSandbox running(SandboxRecord record) {
        return reached(record.id()).orElseGet(() -> {
            if (record.state() instanceof SandboxState.Running) {
                return relinked(record.id());
            }
            throw Views.notRunning(record);
        });
    }

    /** A link can break while its sandbox lives, or its agent was too busy to be adopted: it is greeted again. */
    private LiveSandbox relinked(SandboxId id) {
        try (Locks.Held _ = locks.hold(id, "a new link")) {
            LiveSandbox known = live.get(id);
            if (known != null && known.link().isOpen()) {
                return known;
            }
            SandboxRecord record = ledger.find(id).orElseThrow();
            if (closed || !(record.state() instanceof SandboxState.Running(MachineProcess process))) {
                throw Views.notRunning(record);
            }
            if (construction.runtime(record).life(process) != Life.ALIVE) {
                return broughtBack(record);
            }
            attend(record, process);
            LiveSandbox again = construction.link(record, Construction.NEXT_ANSWER);
            enlist(again, process);
            return again;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
    }

    /** One that has ended and of which nobody was told yet: it may be brought back. */
    private LiveSandbox broughtBack(SandboxRecord dead) {
        end(dead);
        LiveSandbox back = live.get(dead.id());
        if (back == null || !back.link().isOpen()) {
            throw Views.notRunning(ledger.find(dead.id()).orElse(dead));
        }
        return back;
    }

    private void ended(SandboxId id, MachineProcess process) {
        try (Locks.Held _ = locks.hold(id, "its end")) {
            attended.remove(id, process);
            SandboxState gone = new SandboxState.Running(process);
            LiveSandbox known = live.get(id);
            if (known != null && known.record().state().equals(gone) && live.remove(id, known)) {
                known.link().close();
            }
            Optional<SandboxRecord> record = ledger.find(id).filter(now -> now.state().equals(gone));
            if (!closed && record.isPresent()) { // else it was stopped or destroyed meanwhile, or the daemon is stopping
                end(record.get());
            }
        } catch (RuntimeException problem) {
            LOG.error("The end of {} could not be recorded; it is done at the next start", id, problem);
        }
    }

    private void end(SandboxRecord dead) {
        strike(dead.id()).ifPresent(sandbox -> sandbox.link().close());
        ends.accept(bury(dead));
    }

    /** Records that a sandbox ended by itself, and why, and takes away what its processes left. Its disk stays. */
    SandboxRecord bury(SandboxRecord record) {
        String reason = reasonOfEnd(construction.runtime(record), record.id());
        SandboxRecord failed = record.in(new SandboxState.Failed(reason));
        ledger.update(failed);
        LOG.warn("Sandbox {} ({}) has ended by itself: {}", record.id(), record.name(), reason);
        construction.stop(failed);
        return failed;
    }

    /** A kernel that stands between dies of a thread that the host refuses it; processes of the host's own kernel live on without. */
    private static String reasonOfEnd(Runtime runtime, SandboxId id) {
        Usage usage = runtime.usage(id);
        if (usage.oomKills() > 0) {
            return "oom";
        }
        return usage.refusedTasks() > 0 && !runtime.seesProcesses() ? "processes" : "exited";
    }

    /** The daemon goes; sandboxes stay. */
    @Override
    public void close() {
        closed = true;
        live.values().forEach(sandbox -> sandbox.link().close());
        live.clear();
    }
}
