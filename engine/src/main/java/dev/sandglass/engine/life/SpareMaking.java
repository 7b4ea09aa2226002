package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes sandboxes of which no ledger knows, and takes them away again. Thread-safe. */
record SpareMaking(Construction construction, Generations generations, HostClock clock, Supplier<Foundation> foundation) {
    private static final Logger LOG = LoggerFactory.getLogger(SpareMaking.class);

    /** Makes one that waits; what was made is taken away again when it fails. */
    Spare make(Blueprint blueprint) throws InterruptedException {
        SandboxRecord record = blueprint.anonymous(generations);
        boolean done = false;
        try {
            Spare spare = blueprint.memory().isPresent() ? restored(blueprint, record, blueprint.memory().get()) : started(blueprint, record);
            done = true;
            return spare;
        } finally {
            if (!done) {
                remove(record.id(), record.runtime());
            }
        }
    }

    private Spare started(Blueprint blueprint, SandboxRecord record) throws InterruptedException {
        if (blueprint.isInhabited()) {
            construction.furnish(record, blueprint.image());
        } else {
            construction.furnishUnnamed(record, blueprint.image());
        }
        return reached(blueprint, record, construction.start(record, blueprint.image()));
    }

    private Spare restored(Blueprint blueprint, SandboxRecord record, SnapshotRecord snapshot) throws InterruptedException {
        Foundation files = foundation.get();
        MachineProcess process;
        try (Foundation.Held _ = files.hold(snapshot)) {
            files.require(snapshot, true);
            construction.furnish(record, blueprint.image());
            process = construction.restore(record, blueprint.image(), files.memory(snapshot));
        }
        return reached(blueprint, record, process);
    }

    private Spare reached(Blueprint blueprint, SandboxRecord record, MachineProcess process) throws InterruptedException {
        Failpoint.SPARE_STARTED.reach();
        LiveSandbox sandbox = construction.link(record.running(new SandboxState.Running(process), clock.now()), Construction.FIRST_ANSWER);
        try {
            if (blueprint.warmUp().isPresent()) {
                new WarmUp(blueprint.warmUp().get()).run(sandbox);
            }
        } finally {
            sandbox.link().close();
        }
        Runtime runtime = construction.runtime(record);
        if (blueprint.isInhabited()) {
            runtime.pause(record.id());
        }
        Failpoint.SPARE_READY.reach();
        return new Spare(record.id(), process, record.runtime(), record.limits(), record.lineage().generation(), blueprint.isInhabited(), runtime.usage(record.id()).memoryBytes());
    }

    /** Calls {@code ended} when one has ended by itself, or was taken away. */
    void watch(Spare spare, Runnable ended) {
        construction.runtime(spare.runtime()).watch(spare.process(), ended);
    }

    boolean lives(Spare spare) {
        try {
            return construction.runtime(spare.runtime()).life(spare.process()) == Life.ALIVE;
        } catch (RuntimeException unknown) {
            LOG.warn("Nobody knows whether the spare sandbox {} lives", spare.id(), unknown);
            return false;
        }
    }

    void remove(SandboxId id, String runtime) {
        try {
            construction.remove(id, runtime);
        } catch (RuntimeException problem) {
            LOG.warn("A spare sandbox could not be taken away; it is done at the next start", problem);
        }
    }
}
