package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.VolumeMount;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives volumes to sandboxes that are there, and takes them away. What the ledger says is what a sandbox has: a daemon that dies on the way leaves that to the
 * next one, which mounts what is missing. Thread-safe, but the caller holds the sandbox's lock.
 */
final class Attaching {
    private static final Logger LOG = LoggerFactory.getLogger(Attaching.class);

    private final Ledger ledger;
    private final Construction construction;
    private final Roster roster;
    private final VolumePlan plan;

    Attaching(Ledger ledger, Construction construction, Roster roster, VolumePlan plan) {
        this.ledger = ledger;
        this.construction = construction;
        this.roster = roster;
        this.plan = plan;
    }

    SandboxRecord attach(SandboxRecord before, VolumeMount mount) {
        requireSettled(before);
        ifRunning(before, _ -> {}); // whoever cannot be reached gets none
        VolumeUse use = plan.use(mount, before.volumes(), Set.of());
        SandboxRecord next = before.mounting(Stream.concat(before.volumes().stream(), Stream.of(use)).sorted(Comparator.comparingInt(VolumeUse::slot)).toList());
        ledger.update(next);
        Failpoint.ATTACH_RECORDED.reach();
        roster.note(next);
        try {
            ifRunning(next, sandbox -> construction.mounting().attach(sandbox, use));
        } catch (RuntimeException problem) {
            undo(next, before, use, problem);
            throw problem;
        }
        Failpoint.ATTACH_DONE.reach();
        return next;
    }

    /** By name or id; {@code volume_not_found} if it has it not. */
    SandboxRecord detach(SandboxRecord before, String volume) {
        requireSettled(before);
        VolumeUse use = before.volumes().stream()
                .filter(each -> each.name().equals(volume) || each.volume().text().equals(volume))
                .findFirst()
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.VOLUME_NOT_FOUND,
                        "The sandbox " + before.name() + " has no volume " + Rules.printable(volume) + ".",
                        "`sandglass inspect " + before.name() + "` shows those that it has."));
        ifRunning(before, sandbox -> construction.mounting().detach(sandbox, use));
        Failpoint.DETACH_DONE.reach();
        SandboxRecord next = before.mounting(before.volumes().stream().filter(each -> !each.equals(use)).toList());
        ledger.update(next);
        roster.note(next);
        return next;
    }

    private void ifRunning(SandboxRecord record, Consumer<LiveSandbox> work) {
        if (record.state() instanceof SandboxState.Running) {
            roster.linked(record.id());
            work.accept(roster.find(record.id()).orElseThrow(() -> Views.notRunning(record)));
        }
    }

    private void undo(SandboxRecord next, SandboxRecord before, VolumeUse use, RuntimeException cause) {
        try {
            ifRunning(next, sandbox -> construction.mounting().detach(sandbox, use));
            SandboxRecord again = next.mounting(before.volumes());
            ledger.update(again);
            roster.note(again);
        } catch (RuntimeException problem) {
            LOG.error("The volume {} could not be taken from {} again; the next start settles it", use.name(), before.id(), problem);
            cause.addSuppressed(problem);
        }
    }

    private static void requireSettled(SandboxRecord record) {
        switch (record.state()) {
            case SandboxState.Running _, SandboxState.Stopped _, SandboxState.Failed _ -> {}
            case SandboxState.Paused(Optional<SnapshotId> at, boolean _, _) -> {
                if (at.isPresent()) {
                    throw new SandglassException(
                            ErrorCode.CONFLICT,
                            "The sandbox " + record.name() + " is paused, and its processes go on with the volumes that they had.",
                            "`sandglass resume " + record.name() + "` first, or `sandglass stop` gives its processes up.");
                }
            }
            case SandboxState.Creating(),
                    SandboxState.Starting(),
                    SandboxState.Stopping(),
                    SandboxState.Resuming _,
                    SandboxState.Destroying _,
                    SandboxState.Destroyed _ ->
                throw new SandglassException(
                        ErrorCode.CONFLICT,
                        "The sandbox " + record.name() + " is " + record.state().text() + ", and its volumes cannot be changed.",
                        "Try again when it runs or is stopped.");
        }
    }
}
