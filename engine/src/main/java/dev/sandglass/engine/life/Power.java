package dev.sandglass.engine.life;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts sandboxes and stops them; their disk stays. Thread-safe, but the caller holds the sandbox's lock, or is alone. */
final class Power {
    /** The agent's own last resort and its {@code sync} come after the grace. */
    private static final Duration AFTER_THE_GRACE = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(Power.class);

    /** Where a test can kill the daemon on the way to a running sandbox. */
    record Steps(Failpoint started, Failpoint answered, Failpoint running) {
        static final Steps OF_CREATE = new Steps(Failpoint.CREATE_STARTED, Failpoint.CREATE_ANSWERED, Failpoint.CREATE_RUNNING);
        static final Steps OF_RESUME = new Steps(Failpoint.RESUME_STARTED, Failpoint.RESUME_ANSWERED, Failpoint.RESUME_RUNNING);
        static final Steps OF_START = new Steps(Failpoint.START_STARTED, Failpoint.START_ANSWERED, Failpoint.START_RUNNING);
    }

    private final Ledger ledger;
    private final Construction construction;
    private final Roster roster;
    private final Images images;
    private final Supplier<String> agent;
    private final HostClock clock;
    private final Map<SandboxId, CountDownLatch> leaving = new ConcurrentHashMap<>();

    Power(Ledger ledger, Construction construction, Roster roster, Images images, Supplier<String> agent, HostClock clock) {
        this.ledger = ledger;
        this.construction = construction;
        this.roster = roster;
        this.images = images;
        this.agent = agent;
        this.clock = clock;
    }

    /** Starts the processes of a sandbox whose tree is there; it runs and is on the roster when this returns. */
    SandboxRecord up(SandboxRecord record, Image image, Steps steps) throws InterruptedException {
        return reached(record, construction.start(record, image), List.of(), steps);
    }

    /**
     * Lets captured processes go on in a sandbox whose tree is there; it runs and is on the roster when this returns.
     *
     * @param captured the volumes that they had
     */
    SandboxRecord restore(SandboxRecord record, Image image, Path memory, List<VolumeUse> captured, Steps steps) throws InterruptedException {
        List<VolumeUse> stale = captured.stream().filter(use -> record.volumes().stream().noneMatch(each -> isSamePlace(each, use))).toList();
        return reached(record, construction.restore(record, image, memory), stale, steps);
    }

    private static boolean isSamePlace(VolumeUse one, VolumeUse other) {
        return one.slot() == other.slot() && one.path().equals(other.path());
    }

    private SandboxRecord reached(SandboxRecord record, MachineProcess process, List<VolumeUse> stale, Steps steps) throws InterruptedException {
        steps.started().reach();
        Trace.step("agent");
        LiveSandbox sandbox =
                construction.link(record.running(new SandboxState.Running(process), clock.now()), Construction.FIRST_ANSWER);
        steps.answered().reach();
        mount(sandbox, stale);
        Trace.step("ledger, running");
        try {
            ledger.update(sandbox.record());
        } catch (SandglassException problem) {
            sandbox.link().close();
            throw problem;
        }
        steps.running().reach();
        roster.enlist(sandbox, process);
        return sandbox.record();
    }

    private void mount(LiveSandbox sandbox, List<VolumeUse> stale) {
        if (sandbox.record().volumes().isEmpty() && stale.isEmpty()) {
            return;
        }
        Trace.step("volumes");
        try {
            construction.mounting().mount(sandbox, stale);
        } catch (RuntimeException problem) {
            sandbox.link().close();
            throw problem;
        }
    }

    /** Starts a sandbox that is stopped or has failed, with the agent of today; fine if it runs. */
    SandboxRecord start(SandboxRecord record) throws InterruptedException {
        return switch (record.state()) {
            case SandboxState.Running(MachineProcess process) ->
                construction.runtime(record).life(process) == Life.ALIVE ? record : startAgain(buried(record));
            case SandboxState.Stopped _, SandboxState.Failed _ -> startAgain(record);
            case SandboxState.Stopping(), SandboxState.Starting() -> startAgain(settle(record));
            case SandboxState.Paused _ ->
                throw new SandglassException(
                        ErrorCode.CONFLICT,
                        "The sandbox " + record.name() + " is paused.",
                        "`sandglass resume " + record.name() + "` lets it go on, with --disk-only without its processes.");
            case SandboxState.Creating(), SandboxState.Resuming _, SandboxState.Destroying _, SandboxState.Destroyed _ ->
                throw impossible(record, "started");
        };
    }

    private SandboxRecord buried(SandboxRecord record) {
        roster.strike(record.id()).ifPresent(dead -> dead.link().close());
        return roster.bury(record);
    }

    private SandboxRecord startAgain(SandboxRecord down) throws InterruptedException {
        construction.requireRoom();
        Image image = images.require(down.image());
        SandboxRecord starting = down.starting(agent.get());
        ledger.update(starting);
        Failpoint.START_RECORDED.reach();
        try {
            construction.stop(starting); // an end that could not be tidied up must not be in the way
            return up(starting, image, Steps.OF_START);
        } catch (RuntimeException | InterruptedException problem) {
            undo(down, problem);
            throw problem;
        }
    }

    /** Takes away what a start that failed has made, and writes that the sandbox is as it was. */
    private void undo(SandboxRecord before, Exception cause) {
        try {
            SandboxRecord now = ledger.find(before.id()).orElseThrow();
            construction.stop(now);
            ledger.update(now.in(before.state()));
        } catch (RuntimeException problem) {
            LOG.error("What was started of {} could not be taken away; it is done at the next start", before.id(), problem);
            cause.addSuppressed(problem);
        }
    }

    /** Ends all processes: TERM first, KILL when the grace is over or somebody is in a hurry. Fine if nothing runs; one that is paused is none of its. */
    SandboxRecord stop(SandboxRecord record, Duration grace) throws InterruptedException {
        return switch (record.state()) {
            case SandboxState.Running(MachineProcess process) -> {
                SandboxRecord stopping = record.in(new SandboxState.Stopping());
                ledger.update(stopping);
                Failpoint.STOP_RECORDED.reach();
                leave(record.id(), process, grace);
                Failpoint.STOP_ASKED.reach();
                yield settle(stopping);
            }
            case SandboxState.Stopping(), SandboxState.Starting() -> settle(record);
            case SandboxState.Stopped _, SandboxState.Failed _ -> record;
            case SandboxState.Creating(), SandboxState.Paused _, SandboxState.Resuming _, SandboxState.Destroying _, SandboxState.Destroyed _ ->
                throw impossible(record, "stopped");
        };
    }

    /** Takes a sandbox off the roster and lets it end by itself, gently for as long as the grace lasts; what is left of it is the caller's to take away. */
    void leave(SandboxId id, MachineProcess process, Duration grace) throws InterruptedException {
        Optional<LiveSandbox> sandbox = roster.strike(id);
        if (sandbox.isPresent()) {
            try {
                ask(sandbox.get(), process, grace);
            } finally {
                sandbox.get().link().close();
            }
        }
    }

    /** Waits until the sandbox has ended as its agent was told to, or its time is over. */
    private void ask(LiveSandbox sandbox, MachineProcess process, Duration grace) throws InterruptedException {
        CountDownLatch gone = new CountDownLatch(1);
        leaving.put(sandbox.id(), gone);
        try {
            sandbox.runtime().watch(process, gone::countDown);
            sandbox.link().shutDown(grace);
            if (!gone.await(grace.plus(AFTER_THE_GRACE).toNanos(), TimeUnit.NANOSECONDS)) {
                LOG.warn("Sandbox {} has not ended by itself within {} and is killed", sandbox.id(), grace);
            }
        } catch (SandglassException deaf) {
            LOG.warn("The agent of {} cannot be told to stop, so it is killed: {}", sandbox.id(), deaf.what());
        } finally {
            leaving.remove(sandbox.id());
        }
    }

    /** Whoever waits for this sandbox's processes to end by themselves waits no longer. Needs no lock. */
    void hurry(SandboxId id) {
        CountDownLatch waiting = leaving.get(id);
        if (waiting != null) {
            waiting.countDown();
        }
    }

    /** Finishes a stop or undoes a start that was cut short: nothing runs, and that is written. */
    SandboxRecord settle(SandboxRecord record) {
        construction.stop(record);
        Failpoint.STOP_ENDED.reach();
        String reason = record.state() instanceof SandboxState.Stopping ? "stop" : "interrupted";
        SandboxRecord stopped = record.in(new SandboxState.Stopped(reason));
        ledger.update(stopped);
        Failpoint.STOP_DONE.reach();
        return stopped;
    }

    private static SandglassException impossible(SandboxRecord record, String what) {
        return new SandglassException(
                ErrorCode.CONFLICT,
                "The sandbox " + record.name() + " is " + record.state().text() + " and cannot be " + what + ".",
                "`sandglass rm " + record.name() + "` removes it.");
    }
}
