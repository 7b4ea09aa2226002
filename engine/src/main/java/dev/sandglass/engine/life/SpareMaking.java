package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes sandboxes of which no ledger knows, and takes them away again. Thread-safe. */
record SpareMaking(Construction construction, Generations generations, HostClock clock, Supplier<Foundation> foundation, Remains remains) {
    private static final Logger LOG = LoggerFactory.getLogger(SpareMaking.class);

    /**
     * Makes one that waits; what was made is taken away again when it fails.
     *
     * @param still whether it stands still while it waits
     * @param warming told that it runs, before it is warmed up, and what cuts that off: how long it takes is not ours
     */
    Spare make(Blueprint blueprint, boolean still, Consumer<Runnable> warming) throws InterruptedException {
        construction.requireRoom();
        SandboxRecord record = blueprint.anonymous(generations);
        boolean done = false;
        try {
            MachineProcess process = blueprint.memory().isPresent() ? restored(blueprint, record, blueprint.memory().get()) : started(blueprint, record);
            Spare spare = reached(blueprint, record, process, still, warming);
            done = true;
            return spare;
        } finally {
            if (!done) {
                remove(record.id(), record.runtime());
            }
        }
    }

    private MachineProcess started(Blueprint blueprint, SandboxRecord record) {
        if (blueprint.isInhabited()) {
            construction.furnish(record, blueprint.image());
        } else {
            construction.furnishUnnamed(record, blueprint.image());
        }
        return construction.start(record, blueprint.image());
    }

    private MachineProcess restored(Blueprint blueprint, SandboxRecord record, SnapshotRecord snapshot) {
        Foundation files = foundation.get();
        try (Foundation.Held _ = files.hold(snapshot)) {
            files.require(snapshot, true);
            construction.furnish(record, blueprint.image());
            return construction.restore(record, blueprint.image(), files.memory(snapshot));
        }
    }

    private Spare reached(Blueprint blueprint, SandboxRecord record, MachineProcess process, boolean still, Consumer<Runnable> warming) throws InterruptedException {
        Failpoint.SPARE_STARTED.reach();
        Runtime runtime = construction.runtime(record);
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        runtime.watch(process, () -> ended.complete(true));
        LiveSandbox sandbox = construction.link(record.running(new SandboxState.Running(process), clock.now()), Construction.FIRST_ANSWER);
        try {
            if (blueprint.warmUp().isPresent()) {
                ended.thenRun(sandbox.link()::close); // the link itself tells of no end
                warming.accept(sandbox.link()::close);
                new WarmUp(blueprint.warmUp().get()).run(sandbox);
                sandbox.link().hold().close(); // the agent knows of no command any more
            }
        } finally {
            sandbox.link().close();
        }
        if (still) {
            runtime.freeze(record.id());
        }
        Failpoint.SPARE_READY.reach();
        return new Spare(
                record.id(), process, record.runtime(), record.limits(), record.lineage().generation(), blueprint.isInhabited(), still, runtime.usage(record.id()).memoryBytes(), ended);
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
        remains.remove(id, runtime);
    }
}
