package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.GuestProcesses;
import dev.sandglass.engine.guest.UnsentException;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ProcessList;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The sandboxes that run, for those who want something of what runs in them: to come is use, and use wakes one that rests. Thread-safe. */
public final class LiveSandboxes {
    /** Something that is asked of the agent of a running sandbox. */
    public interface Use<T> {
        T of(LiveSandbox sandbox) throws InterruptedException;
    }

    private final Ledger ledger;
    private final Roster roster;
    private final Consumer<SandboxId> resume;

    /** @param resume lets one go on that rests; fine if it runs */
    LiveSandboxes(Ledger ledger, Roster roster, Consumer<SandboxId> resume) {
        this.ledger = ledger;
        this.roster = roster;
        this.resume = resume;
    }

    /** The running sandbox of that name, id or prefix, after it was resumed if need be; {@code sandbox_not_running} in any other state. */
    public LiveSandbox running(String ref) {
        return used(reached(ref).orElseGet(() -> awake(ref)));
    }

    /** The same, but one that rests is left at rest: {@code sandbox_not_running}. */
    public LiveSandbox runningAlready(String ref) {
        return used(reached(ref).orElseGet(() -> roster.running(ref)));
    }

    private Optional<LiveSandbox> reached(String ref) {
        return SandboxId.isId(ref) ? roster.reached(new SandboxId(ref)) : Optional.empty();
    }

    private static LiveSandbox used(LiveSandbox sandbox) {
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

    /** Whether it rested, and is to be woken by use: it runs now. */
    private boolean wake(SandboxRecord record) {
        boolean wakes = isWokenByUse(record);
        if (wakes) {
            resume.accept(record.id()); // whoever comes meanwhile waits for the lock
        }
        return wakes;
    }

    /** Whether a sandbox runs; to ask is no use of it. */
    public boolean isRunning(SandboxId id) {
        return roster.reached(id).isPresent() || ledger.find(id).filter(record -> record.state() instanceof SandboxState.Running).isPresent();
    }

    /** Whether a sandbox rests, and is to be woken by use. */
    public boolean isWokenByUse(SandboxId id) {
        return ledger.find(id).filter(LiveSandboxes::isWokenByUse).isPresent();
    }

    private static boolean isWokenByUse(SandboxRecord record) {
        boolean rests = record.state() instanceof SandboxState.Paused || record.state() instanceof SandboxState.Resuming;
        return rests && record.deadlines().lifecycle().autoResume();
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

    /** Before its lock is asked for: it may be going to rest, and then that is held. */
    void keepAwake(String ref) {
        roster.find(ledger.resolveWhole(ref).id()).ifPresent(LiveSandbox::use);
    }

    /** Tells of every sandbox whose agent is reached, now and later, maybe twice. The watcher must be quick. */
    public void watch(Consumer<LiveSandbox> watcher) {
        roster.watch(watcher);
    }

    /** Those that run, in no order. */
    public List<LiveSandbox> all() {
        return roster.all();
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
}
