package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.Activity;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets sandboxes rest in snapshots and go on from there. To turn one back is to let it rest, and to go on from another snapshot.
 * Thread-safe, but the caller holds the sandbox's lock, or is alone.
 */
final class Suspension {
    private static final Logger LOG = LoggerFactory.getLogger(Suspension.class);
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Ledger ledger;
    private final Construction construction;
    private final Capturing capturing;
    private final Power power;
    private final Roster roster;
    private final Images images;
    private final Supplier<String> agent;
    private final Supplier<Foundation> foundation;
    private final Generations generations;

    Suspension(
            Ledger ledger,
            Construction construction,
            Capturing capturing,
            Power power,
            Roster roster,
            Images images,
            Supplier<String> agent,
            Supplier<Foundation> foundation,
            Generations generations) {
        this.ledger = ledger;
        this.construction = construction;
        this.capturing = capturing;
        this.power = power;
        this.roster = roster;
        this.images = images;
        this.agent = agent;
        this.foundation = foundation;
        this.generations = generations;
    }

    /** Fine if it is paused. */
    SandboxRecord pause(SandboxRecord record, boolean diskOnly, Cause cause) throws InterruptedException {
        return switch (record.state()) {
            case SandboxState.Paused _ -> record;
            case SandboxState.Running(MachineProcess process) -> {
                if (diskOnly) {
                    yield restOnDisk(record, process, cause, () -> true);
                }
                requireMemory(record);
                yield rest(record, cause, () -> true);
            }
            case SandboxState.Stopped _,
                    SandboxState.Failed _,
                    SandboxState.Creating(),
                    SandboxState.Starting(),
                    SandboxState.Stopping(),
                    SandboxState.Resuming _,
                    SandboxState.Destroying _,
                    SandboxState.Destroyed _ ->
                throw impossible(record, "paused");
        };
    }

    /**
     * Lets a sandbox rest that runs, with its processes where they can be kept.
     *
     * @param still asked when all is kept: unless it says yes, the sandbox goes on, and that is a {@code conflict}
     */
    SandboxRecord rest(SandboxRecord record, Cause cause, BooleanSupplier still) throws InterruptedException {
        if (record.state() instanceof SandboxState.Running(MachineProcess process) && construction.obstacleToMemory(record).isPresent()) {
            return restOnDisk(record, process, cause, still);
        }
        return ended(capturing.halt(record, foundation.get().capture(SnapshotPurpose.PAUSE, false), taken -> {
            require(still, record);
            return written(record.in(new SandboxState.Paused(Optional.of(taken.id()), false, cause), numbered(record)));
        }), link -> link.close());
    }

    /** It is paused before its processes have ended, so that who comes meanwhile waits and wakes it; whoever finds what is left of them takes it away. */
    private SandboxRecord restOnDisk(SandboxRecord record, MachineProcess process, Cause cause, BooleanSupplier still) throws InterruptedException {
        Failpoint.PAUSE_CAPTURED.reach(); // the disk is all that is kept, and it is there
        require(still, record);
        SandboxRecord paused = written(record.in(new SandboxState.Paused(Optional.empty(), false, cause)));
        power.leave(record.id(), process, GRACE);
        return ended(paused, GuestLink::close);
    }

    private static void require(BooleanSupplier still, SandboxRecord record) {
        if (!still.getAsBoolean()) {
            throw new SandglassException(ErrorCode.CONFLICT, "The sandbox " + record.name() + " is in use.", "It is not paused.");
        }
    }

    /** Makes a sandbox that has ended what a snapshot of it has. */
    SandboxRecord goOnFrom(SandboxRecord ended, SnapshotId snapshot) throws InterruptedException {
        return resume(written(ended.in(new SandboxState.Paused(Optional.of(snapshot), true, Cause.RESTART))), false);
    }

    private void requireMemory(SandboxRecord record) {
        construction.obstacleToMemory(record).ifPresent(obstacle -> {
            throw new SandglassException(
                    ErrorCode.RUNTIME_UNAVAILABLE,
                    "The processes of " + record.name() + " cannot be kept: " + obstacle,
                    "Pause it with --disk-only, which ends them and keeps its disk, or use the runtime gvisor.");
        });
    }

    private SandboxRecord written(SandboxRecord next) {
        ledger.update(next);
        roster.note(next); // whoever comes from now on is not given what is about to end
        Failpoint.PAUSE_RECORDED.reach();
        return next;
    }

    private Lineage numbered(SandboxRecord record) {
        return record.lineage().numberedTo(roster.highestCommand(record.id()));
    }

    /** Nothing of it is needed any more but its disk. */
    private SandboxRecord ended(SandboxRecord halted, Consumer<GuestLink> leave) {
        roster.strike(halted.id()).ifPresent(sandbox -> leave.accept(sandbox.link()));
        construction.stop(halted);
        Failpoint.PAUSE_DONE.reach();
        return halted;
    }

    /** Fine if it runs. */
    SandboxRecord resume(SandboxRecord record, boolean diskOnly) throws InterruptedException {
        return switch (record.state()) {
            case SandboxState.Running _ -> record;
            case SandboxState.Paused(Optional<SnapshotId> at, boolean rebuild, _) -> {
                Optional<SnapshotRecord> from = at.map(this::present);
                SandboxRecord running = goOn(record, from, rebuild, diskOnly);
                from.ifPresent(this::release);
                yield running;
            }
            case SandboxState.Stopped _,
                    SandboxState.Failed _,
                    SandboxState.Creating(),
                    SandboxState.Starting(),
                    SandboxState.Stopping(),
                    SandboxState.Resuming _,
                    SandboxState.Destroying _,
                    SandboxState.Destroyed _ ->
                throw impossible(record, "resumed");
        };
    }

    private SnapshotRecord present(SnapshotId id) {
        return ledger.snapshots()
                .find(id)
                .filter(snapshot -> snapshot.state() == SnapshotState.READY)
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.SNAPSHOT_NOT_FOUND, "The snapshot " + id + " is gone.", "`sandglass snapshot ls --all` lists those that are there."));
    }

    private SandboxRecord goOn(SandboxRecord record, Optional<SnapshotRecord> from, boolean rebuild, boolean diskOnly)
            throws InterruptedException {
        Optional<SnapshotRecord.Memory> memory = diskOnly ? Optional.empty() : from.flatMap(SnapshotRecord::memory);
        try (Foundation.Held _ = memory.isPresent() ? foundation.get().hold(from.orElseThrow()) : () -> {}) { // it may be about to be moved
            return goOn(record, from, memory, rebuild);
        }
    }

    private SandboxRecord goOn(SandboxRecord record, Optional<SnapshotRecord> from, Optional<SnapshotRecord.Memory> memory, boolean rebuild)
            throws InterruptedException {
        construction.requireRoom();
        if (rebuild || memory.isPresent()) { // else its own tree is all that it goes on with
            from.ifPresent(snapshot -> requireFit(record, snapshot, memory));
        }
        Image image = images.require(record.image());
        long known = from.map(SnapshotRecord::generation).orElse(0L);
        Lineage where = rebuild && from.isPresent()
                ? record.lineage().on(from.get().id(), from.get().layers(), generations.next(known))
                : record.lineage().continued(generations.next(known));
        SandboxState.Resuming state = new SandboxState.Resuming(from.map(SnapshotRecord::id), rebuild || memory.isEmpty());
        List<VolumeUse> volumes = memory.isPresent() ? VolumePlan.known(record.volumes(), from.orElseThrow().volumes()) : record.volumes();
        SandboxRecord resuming = record.with(volumes).resuming(state, memory.map(SnapshotRecord.Memory::agent).orElseGet(agent), where);
        ledger.update(resuming);
        Failpoint.RESUME_RECORDED.reach();
        try {
            construction.stop(resuming); // an end that could not be tidied up must not be in the way
            if (rebuild) {
                construction.removeTree(resuming.id());
                construction.removeIdentity(resuming.id());
                furnish(resuming, image, from);
            } else {
                construction.enforce(resuming);
            }
            Failpoint.RESUME_TREE.reach();
            return memory.isPresent()
                    ? power.restore(resuming, image, foundation.get().memory(from.orElseThrow()), from.orElseThrow().volumes(), Power.Steps.OF_RESUME)
                    : power.up(resuming, image, Power.Steps.OF_RESUME);
        } catch (RuntimeException | InterruptedException problem) {
            undo(resuming, problem);
            throw problem;
        }
    }

    /** Gives up the processes with which a sandbox that is paused would go on; its disk stays. */
    SandboxRecord stop(SandboxRecord record, SandboxState.Paused paused) {
        SandboxRecord stopped = onDisk(record, paused, new SandboxState.Stopped("stop"));
        paused.at().flatMap(ledger.snapshots()::find).ifPresent(this::release);
        return stopped;
    }

    /** What was only there for this sandbox to go on with; what somebody asked for stays, and so does what else is needed. */
    private void release(SnapshotRecord used) {
        if (used.purpose() == SnapshotPurpose.PAUSE || used.purpose() == SnapshotPurpose.REWIND) {
            foundation.get().release(used.id());
        }
    }

    /**
     * Makes the disk of a sandbox that is paused what it would go on with, if it is not; it runs in no case. Until that is done the ledger says that it is to be.
     *
     * @param next what it is then
     */
    private SandboxRecord onDisk(SandboxRecord record, SandboxState.Paused paused, SandboxState next) {
        Optional<SnapshotRecord> from = paused.rebuild() ? paused.at().map(this::present) : Optional.empty();
        SandboxRecord there = from.map(snapshot -> {
                    foundation.get().require(snapshot, false);
                    return record.in(next, record.lineage().on(snapshot.id(), snapshot.layers(), generations.next(snapshot.generation())));
                })
                .orElseGet(() -> record.in(next));
        construction.stop(record); // an end that could not be tidied up
        if (from.isPresent()) {
            construction.removeTree(record.id());
            construction.removeIdentity(record.id());
            furnish(there, images.require(record.image()), from);
        }
        ledger.update(there);
        Failpoint.STOP_DONE.reach();
        return there;
    }

    /** What a snapshot of the sandbox itself has is its own already, but for the name that it had then. */
    private void furnish(SandboxRecord resuming, Image image, Optional<SnapshotRecord> from) {
        Optional<SnapshotRecord> own = from.filter(snapshot -> snapshot.sandbox().equals(resuming.id()));
        if (own.isEmpty()) {
            construction.furnish(resuming, image);
        } else if (own.get().sandboxName().equals(resuming.name())) {
            construction.furnishAgain(resuming, image);
        } else {
            construction.furnishRenamed(resuming, image);
        }
    }

    /** Refuses, before anything happens, a snapshot with which the sandbox could not go on. */
    private void requireFit(SandboxRecord record, SnapshotRecord snapshot, Optional<SnapshotRecord.Memory> memory) {
        Runtime runtime = construction.runtime(record);
        if (!snapshot.image().equals(record.image())) {
            throw Continuation.differs("image", record.image(), snapshot.image());
        }
        memory.ifPresent(captured -> {
            if (!snapshot.runtime().equals(record.runtime())) {
                throw Continuation.differs("runtime", record.runtime(), snapshot.runtime());
            }
            if (captured.security() != record.security()) {
                throw Continuation.differs("security", record.security().text(), captured.security().text());
            }
            if (!captured.capabilities().equals(record.capabilities())) {
                throw Continuation.differs("capabilities", record.capabilities().toString(), captured.capabilities().toString());
            }
            Continuation.requireLink(captured, record.network().isPresent());
            Continuation.requireTraits(captured, runtime);
        });
        foundation.get().require(snapshot, memory.isPresent()); // or it is said that it is gone
        memory.ifPresent(_ -> Continuation.requireRoom(record.limits(), runtime.leastMemory(foundation.get().memory(snapshot))));
    }

    private void undo(SandboxRecord resuming, Exception cause) {
        try {
            SandboxRecord now = ledger.find(resuming.id()).orElseThrow();
            settle(resuming.state() instanceof SandboxState.Resuming state ? now.in(state.undone()) : now);
        } catch (RuntimeException problem) {
            LOG.error("What was started of {} could not be taken away; it is done at the next start", resuming.id(), problem);
            cause.addSuppressed(problem);
        }
    }

    /** Takes back a resume that was cut short: the sandbox is paused as before. */
    void settle(SandboxRecord record, SandboxState.Resuming cut) {
        settle(record.in(cut.undone()));
    }

    private void settle(SandboxRecord paused) {
        roster.strike(paused.id()).ifPresent(sandbox -> sandbox.link().close());
        construction.stop(paused);
        ledger.update(paused);
    }

    /** Keeps what a sandbox is, then makes it what a snapshot has; without one, what it was before that was last done. */
    SandboxRecord rewind(SandboxRecord record, Optional<String> ref, boolean diskOnly) throws InterruptedException {
        SnapshotRecord target = ref.map(ledger.snapshots()::resolve)
                .orElseGet(() -> present(record.lineage().undo().orElseThrow(() -> new SandglassException(
                        ErrorCode.CONFLICT,
                        "The sandbox " + record.name() + " was not turned back, so there is nothing to undo.",
                        "`sandglass snapshot ls` lists what it can be turned back to."))));
        try (Foundation.Held _ = hold(target, diskOnly)) { // it may be deleted meanwhile
            return turn(record, target, ref.isPresent(), diskOnly);
        }
    }

    private Foundation.Held hold(SnapshotRecord target, boolean diskOnly) {
        return diskOnly || target.memory().isEmpty() ? () -> {} : foundation.get().hold(target);
    }

    /** @param isAsked whether somebody named the target, and wants it to run then */
    private SandboxRecord turn(SandboxRecord record, SnapshotRecord target, boolean isAsked, boolean diskOnly) throws InterruptedException {
        construction.requireRoom(); // before it rests: else it would stay so
        requireFit(record, target, diskOnly ? Optional.empty() : target.memory());
        boolean runs = isAsked || record.lineage().before() == Activity.RUNNING;
        if (runs && !diskOnly && target.memory().isPresent()) {
            construction.requireMemory(record, foundation.get().memory(target));
        }
        SandboxRecord turned = kept(record, target, diskOnly);
        Failpoint.REWIND_RECORDED.reach();
        SandboxRecord now = isAsked ? resume(turned, diskOnly) : asBefore(turned, record.lineage().before(), target, diskOnly);
        record.lineage().undo().ifPresent(foundation.get()::release); // unless it still is the one
        return now;
    }

    /** One that is brought back does what it did before it was turned back. */
    private SandboxRecord asBefore(SandboxRecord turned, Activity before, SnapshotRecord target, boolean diskOnly) throws InterruptedException {
        SandboxState.Paused there = new SandboxState.Paused(Optional.of(target.id()), true, Cause.REWIND);
        boolean hasProcesses = !diskOnly && target.memory().isPresent();
        return switch (before) {
            case RUNNING -> resume(turned, diskOnly);
            case PAUSED -> onDisk(turned, there, new SandboxState.Paused(hasProcesses ? there.at() : Optional.empty(), false, Cause.REWIND));
            case STOPPED -> onDisk(turned, there, new SandboxState.Stopped("stop"));
        };
    }

    /** What it is goes into a snapshot, and it rests at the target. */
    private SandboxRecord kept(SandboxRecord record, SnapshotRecord target, boolean diskOnly) {
        SandboxState.Paused there = new SandboxState.Paused(Optional.of(target.id()), true, Cause.REWIND);
        boolean hasCommands = !diskOnly && target.memory().isPresent() && target.sandbox().equals(record.id());
        return switch (record.state()) {
            case SandboxState.Paused(Optional<SnapshotId> at, boolean rebuild, _) when at.isPresent() ->
                // One that was turned back and did not come to run has nothing new: what it was before is still what can be brought back.
                written(rebuild && record.lineage().undo().isPresent() && !isPause(at.get())
                        ? record.in(there)
                        : record.in(there, record.lineage().undoneBy(at.get(), Activity.PAUSED)));
            case SandboxState.Running _, SandboxState.Stopped _, SandboxState.Failed _, SandboxState.Paused _ ->
                ended(capturing.halt(
                        record,
                        foundation.get().capture(SnapshotPurpose.REWIND, diskOnly),
                        taken -> {
                            present(target.id()); // it may have been deleted meanwhile
                            return written(record.in(there, numbered(record).undoneBy(taken.id(), Activity.of(record.state()))));
                        }), link -> link.turnBack(command -> hasCommands && command.at().isBefore(target.createdAt())));
            case SandboxState.Creating(),
                    SandboxState.Starting(),
                    SandboxState.Stopping(),
                    SandboxState.Resuming _,
                    SandboxState.Destroying _,
                    SandboxState.Destroyed _ ->
                throw impossible(record, "turned back");
        };
    }

    /** Whether the snapshot has what a sandbox was when it was paused. */
    private boolean isPause(SnapshotId snapshot) {
        return ledger.snapshots().find(snapshot).filter(found -> found.purpose() == SnapshotPurpose.PAUSE).isPresent();
    }

    private static SandglassException impossible(SandboxRecord record, String what) {
        return new SandglassException(
                ErrorCode.CONFLICT,
                "The sandbox " + record.name() + " is " + record.state().text() + " and cannot be " + what + ".",
                record.state() instanceof SandboxState.Stopped || record.state() instanceof SandboxState.Failed
                        ? "`sandglass start " + record.name() + "` starts it."
                        : "`sandglass inspect " + record.name() + "` tells more.");
    }
}
