package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a daemon does first: takes over what an earlier one left running, finishes or undoes what it left half done. */
final class Adoption {
    private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);
    private static final int AT_ONCE = 16;

    private final Ledger ledger;
    private final Construction construction;
    private final Roster roster;
    private final Power power;
    private final Suspension suspension;
    private final Demolition demolition;

    Adoption(Ledger ledger, Construction construction, Roster roster, Power power, Suspension suspension, Demolition demolition) {
        this.ledger = ledger;
        this.construction = construction;
        this.roster = roster;
        this.power = power;
        this.suspension = suspension;
        this.demolition = demolition;
    }

    /** Runs before the first request; one sandbox that cannot be dealt with does not keep the others. */
    void run() throws InterruptedException {
        List<SandboxRecord> records = ledger.sandboxes();
        Set<SandboxId> unknown = new HashSet<>(construction.present());
        records.forEach(record -> unknown.remove(record.id()));
        Set<SandboxId> unconfirmed = ledger.unconfirmed();
        Semaphore turns = new Semaphore(AT_ONCE);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> work = new ArrayList<>();
            for (SandboxRecord record : records) {
                work.add(threads.submit(() -> inTurn(turns, record.id(), () -> settle(record, unconfirmed.contains(record.id())))));
            }
            for (SandboxId id : unknown) {
                work.add(threads.submit(() -> inTurn(turns, id, () -> construction.sweep(id))));
            }
            for (Future<?> done : work) {
                done.get();
            }
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        }
        ledger.sandboxes().forEach(left -> unconfirmed.remove(left.id())); // tried again at the next start
        ledger.confirm(unconfirmed); // an earlier version kept the rows of some that were destroyed
        LOG.info("{} sandboxes in the ledger, {} leftovers removed", records.size(), unknown.size());
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    private static void inTurn(Semaphore turns, SandboxId id, Step step) {
        try {
            turns.acquire();
            try {
                step.run();
            } finally {
                turns.release();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException problem) {
            LOG.error("Sandbox {} could not be dealt with; it is tried again at the next start", id, problem);
        }
    }

    /** @param tentative whether it was never confirmed: the other copies of a fork never came, or who ran a command in it is gone */
    private void settle(SandboxRecord record, boolean tentative) throws InterruptedException {
        if (tentative) {
            demolition.demolish(record, Cause.DISCARDED);
            return;
        }
        switch (record.state()) {
            case SandboxState.Creating(), SandboxState.Destroying _ -> demolition.demolish(record, Cause.DISCARDED);
            case SandboxState.Stopping(), SandboxState.Starting() -> power.settle(record);
            case SandboxState.Running(MachineProcess process) -> adopt(record, process);
            case SandboxState.Resuming resuming -> suspension.settle(record, resuming);
            case SandboxState.Stopped _, SandboxState.Failed _, SandboxState.Paused _ -> construction.stop(record);
            case SandboxState.Destroyed _ -> {}
        }
    }

    /** A change may have been written and not put in force: what was in force is given up, or stays when that is impossible. */
    private void enforce(SandboxRecord record) {
        try {
            construction.enforce(record);
        } catch (RuntimeException problem) {
            LOG.error("The limits of {} could not be put in force", record.id(), problem);
        }
    }

    /** One may have been written and not mounted. What cannot be mounted is taken from the sandbox, and does not keep the others. */
    private void mount(LiveSandbox sandbox) {
        for (VolumeUse use : sandbox.record().volumes()) {
            try {
                construction.mounting().attach(sandbox, use);
            } catch (RuntimeException problem) {
                LOG.error("The volume {} of {} could not be mounted", use.name(), sandbox.id(), problem);
                giveUp(sandbox, use, problem);
            }
        }
    }

    private void giveUp(LiveSandbox sandbox, VolumeUse use, RuntimeException why) {
        SandboxRecord before = sandbox.record();
        String warning = "The volume " + use.name() + " was taken from it, because it could not be mounted at " + use.path() + " when the daemon started"
                + (why instanceof SandglassException refused ? ": " + refused.what() : ".");
        try {
            construction.mounting().detach(sandbox, use); // else it might have what the ledger says that it has not
            SandboxRecord next = before.with(before.volumes().stream().filter(each -> !each.equals(use)).toList())
                    .revised(before.name(), before.limits(), before.deadlines(), before.labels(), Stream.concat(before.warnings().stream(), Stream.of(warning)).toList());
            ledger.update(next);
            sandbox.revise(next);
        } catch (RuntimeException problem) {
            LOG.error("The volume {} stays with {}; it is tried again at the next start", use.name(), sandbox.id(), problem);
        }
    }

    private void adopt(SandboxRecord record, MachineProcess process) throws InterruptedException {
        switch (construction.runtime(record).life(process)) {
            case ALIVE -> {
                construction.rejoin(record);
                roster.attend(record, process); // whether its agent answers or not
                construction.runtime(record).resume(record.id()); // it may have been standing still for a snapshot
                enforce(record);
                construction.nameHost(record);
                LiveSandbox sandbox = construction.link(record, Construction.NEXT_ANSWER);
                mount(sandbox);
                roster.enlist(sandbox, process);
                LOG.info("Adopted {} ({})", record.id(), record.name());
            }
            case ENDED -> roster.bury(record);
            case BEFORE_REBOOT -> {
                SandboxRecord stopped = record.in(new SandboxState.Stopped("reboot"));
                ledger.update(stopped);
                construction.stop(stopped);
            }
        }
    }
}
