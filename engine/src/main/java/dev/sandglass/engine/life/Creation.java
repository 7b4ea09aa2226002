package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.Agents;
import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sandboxes. From nothing: the ledger says {@code creating}, then all is made, then it says {@code running}. From a spare, which is in no
 * ledger: it is made the sandbox that was asked for, and the ledger's first word of it is {@code running}. Thread-safe.
 */
final class Creation {
    private static final Logger LOG = LoggerFactory.getLogger(Creation.class);
    /** So many that turn out to be of no use are tried before one is begun from nothing. */
    private static final int MOST_SPARES = 3;

    /** Writes a new sandbox into the ledger; gives back another one if that was made by the same key. */
    private interface Entry {
        Optional<SandboxRecord> write(SandboxRecord record);
    }

    /** @param isMine whether it was made by this call */
    private record Outcome(SandboxRecord record, boolean isMine) {}

    /** With what a sandbox begins. */
    private record Beginning(Image image, Optional<SnapshotRecord> snapshot, Optional<Path> memory) {}

    /**
     * What is to be made, with the copies of volumes that are to be made before.
     *
     * @param afresh whether it is begun from nothing even if one waits that it could be
     */
    private record Admitted(SandboxRecord record, VolumePlan.Wanted volumes, boolean afresh) {}

    /** Makes something of what a sandbox is to begin with. */
    private interface Making<T> {
        T from(Beginning beginning);
    }

    private final Ledger ledger;
    private final Construction construction;
    private final Admission admission;
    private final Images images;
    private final Agents agents;
    private final Locks locks;
    private final Roster roster;
    private final Power power;
    private final Stocks stocks;
    private final Spares spares;
    private final HostClock clock;
    private final BiConsumer<SandboxRecord, SandglassException> undo;
    private final Supplier<Foundation> foundation;
    private final VolumePlan volumes;
    private volatile UnaryOperator<CreateSandbox> templates = UnaryOperator.identity();

    /**
     * @param foundation who has the files of snapshots
     * @param undo takes away what was made of a sandbox that is in the ledger, because of a failure
     */
    Creation(
            Ledger ledger,
            Construction construction,
            Admission admission,
            Images images,
            Agents agents,
            Locks locks,
            Roster roster,
            Power power,
            Stocks stocks,
            Spares spares,
            HostClock clock,
            Supplier<Foundation> foundation,
            BiConsumer<SandboxRecord, SandglassException> undo,
            VolumePlan volumes) {
        this.ledger = ledger;
        this.construction = construction;
        this.admission = admission;
        this.images = images;
        this.agents = agents;
        this.locks = locks;
        this.roster = roster;
        this.power = power;
        this.stocks = stocks;
        this.spares = spares;
        this.clock = clock;
        this.foundation = foundation;
        this.undo = undo;
        this.volumes = volumes;
    }

    /** Makes a sandbox; returns when its agent answers. What was made is taken away again when it fails. */
    SandboxRecord create(CreateSandbox request) {
        return create(request, false, ledger::insert);
    }

    /** The same; unless it is confirmed later, a daemon that finds it takes it away. */
    SandboxRecord createTentatively(CreateSandbox request) {
        return create(request, false, ledger::insertTentatively);
    }

    /** The same of one that begins with what it was asked for and nothing else: it never was one that waited. */
    SandboxRecord createAfresh(CreateSandbox request) {
        return create(request, true, ledger::insertTentatively);
    }

    void furnishing(UnaryOperator<CreateSandbox> filled) {
        templates = filled;
    }

    /**
     * What sandboxes are like that such a request would make; nothing is made.
     *
     * @param warmUp what is to run in each before it is anybody's
     */
    Blueprint blueprint(CreateSandbox asked, Optional<String> warmUp) {
        CreateSandbox request = templates.apply(asked);
        return begun(request, beginning -> {
            if (beginning.memory().isPresent() && beginning.snapshot().filter(snapshot -> !snapshot.volumes().isEmpty()).isPresent()) {
                throw new SandglassException(
                        ErrorCode.CONFLICT,
                        "The processes of the snapshot have volumes, which cannot be given to ones that wait.",
                        "Take a snapshot of its disk alone (--disk-only), or of a sandbox without volumes.");
            }
            SandboxRecord prototype = admission.admit(request, Blueprint.NOBODYS_NAME, beginning.snapshot(), beginning.memory(), beginning.image(), agents.current())
                    .entrusted(Set.of()); // of whoever claims it, from then on
            return new Blueprint(prototype, beginning.image(), beginning.memory().flatMap(_ -> beginning.snapshot()), warmUp);
        });
    }

    private SandboxRecord create(CreateSandbox asked, boolean afresh, Consumer<SandboxRecord> insert) {
        CreateSandbox request = templates.apply(asked);
        return begun(request, beginning -> Names.with(request.name(), name -> {
            return make(admitted(request, name, beginning, afresh), beginning, record -> {
                        insert.accept(record);
                        return Optional.empty();
                    })
                    .record();
        }));
    }

    private <T> T begun(CreateSandbox request, Making<T> making) {
        Trace.step("image");
        if (request.from() != null && request.image() != null) {
            throw Rules.invalid("image", Rules.printable(request.image()), "none beside from: a snapshot has its image");
        }
        if (request.from() == null) {
            Image image = request.image() == null ? images.require() : images.named(request.image());
            return making.from(new Beginning(image, Optional.empty(), Optional.empty()));
        }
        SnapshotRecord snapshot = ledger.snapshots().resolve(request.from());
        boolean withMemory = snapshot.memory().isPresent() && !Boolean.TRUE.equals(request.diskOnly());
        Foundation files = foundation.get();
        if (withMemory) { // first: else all of it might be read to no avail
            Continuation.requireTraits(snapshot.memory().orElseThrow(), construction.runtime(snapshot.runtime()));
        }
        try (Foundation.Held _ = withMemory ? files.hold(snapshot) : () -> {}) { // from its row on, the sandbox itself keeps the layers
            files.require(snapshot, withMemory);
            Optional<Path> memory = withMemory ? Optional.of(files.memory(snapshot)) : Optional.empty();
            return making.from(new Beginning(images.require(snapshot.image()), Optional.of(snapshot), memory));
        }
    }

    /** A name that is taken and a credential that is not there are refused here, so that they do not cost a spare. */
    private Admitted admitted(CreateSandbox request, String name, Beginning beginning, boolean afresh) {
        SandboxRecord wanted = admission.admit(request, name, beginning.snapshot(), beginning.memory(), beginning.image(), agents.current());
        ledger.requireFree(name);
        if (!wanted.credentials().isEmpty()) {
            ledger.credentials().require(wanted.credentials());
        }
        construction.requireRoom();
        VolumePlan.Wanted equipment = volumes.of(request, beginning.snapshot());
        return new Admitted(wanted.with(equipment.uses()), equipment, afresh);
    }

    /** Makes a sandbox, or gives the one back that was made with the same key; whoever comes meanwhile waits for it. */
    SandboxRecord createOnce(CreateSandbox asked, String key) {
        IdempotencyKey once = IdempotencyKey.of(key, Json.write(asked));
        CreateSandbox request = ledger.madeBy(once).isEmpty() ? templates.apply(asked) : asked;
        return begun(request, beginning -> Names.with(request.name(), name -> {
            while (true) {
                Optional<SandboxRecord> earlier = ledger.madeBy(once).stream().findFirst();
                if (earlier.isEmpty()) {
                    Outcome outcome = make(admitted(request, name, beginning, false), beginning, record -> ledger.insertOnce(record, once));
                    if (outcome.isMine()) {
                        return outcome.record();
                    }
                    earlier = Optional.of(outcome.record());
                }
                Trace.about(earlier.get().id().text());
                Optional<SandboxRecord> made = outcome(earlier.get().id());
                if (made.isPresent()) {
                    return made.get();
                }
            }
        }));
    }

    /** What somebody else's create came to; nothing if it failed and left nothing. */
    private Optional<SandboxRecord> outcome(SandboxId id) {
        try (Locks.Held _ = locks.hold(id, "create")) {
            SandboxRecord record = ledger.find(id).orElseThrow();
            if (record.startedAt().isPresent()) {
                return Optional.of(record);
            }
            if (record.state() instanceof SandboxState.Destroyed) {
                return Optional.empty();
            }
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "The first request with this Idempotency-Key failed, and what it made could not be taken away yet.",
                    "Take a new key.");
        }
    }

    private Outcome make(Admitted admitted, Beginning beginning, Entry entry) {
        if (admitted.volumes().copies().isEmpty()) {
            return made(admitted, beginning, entry);
        }
        Trace.step("volumes");
        volumes.copy(admitted.volumes());
        try {
            Outcome outcome = made(admitted, beginning, entry);
            if (!outcome.isMine()) {
                volumes.discard(admitted.volumes());
            }
            return outcome;
        } catch (RuntimeException problem) {
            volumes.discard(admitted.volumes());
            throw problem;
        }
    }

    private Outcome made(Admitted admitted, Beginning beginning, Entry entry) {
        SandboxRecord wanted = admitted.record();
        try (Stocks.Waiting _ = stocks.await()) {
            boolean memory = beginning.memory().isPresent();
            Optional<LiveSandbox> ready = admitted.afresh() ? Optional.empty() : adapted(wanted, memory);
            Outcome outcome = ready.isPresent() ? entered(ready.get(), entry) : fresh(wanted, beginning, entry);
            if (outcome.isMine() && !memory) {
                spares.expectAnother(outcome.record(), beginning.image());
            }
            return outcome;
        }
    }

    /** A spare that is the wanted sandbox in all but the ledger; nothing if there is none, or if none is as good as it should be. */
    private Optional<LiveSandbox> adapted(SandboxRecord wanted, boolean memory) {
        for (int attempt = 0; attempt < MOST_SPARES; attempt++) {
            Optional<Spare> spare = stocks.take(wanted, memory);
            if (spare.isEmpty()) {
                return Optional.empty();
            }
            try {
                return Optional.of(adapted(wanted, spare.get()));
            } catch (RuntimeException problem) {
                LOG.warn("The spare sandbox {} is of no use: {}", spare.get().id(), problem.toString());
                stocks.discard(spare.get());
                if (spare.get().inhabited() && problem instanceof SandglassException late && late.code() == ErrorCode.GUEST_TIMEOUT) {
                    return Optional.empty(); // the others are likely to take as long
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                stocks.discard(spare.get());
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    private LiveSandbox adapted(SandboxRecord wanted, Spare spare) throws InterruptedException {
        long generation = spare.inhabited() ? wanted.lineage().generation() : spare.generation(); // whoever is inside is told that it is somebody's now
        SandboxState.Running running = new SandboxState.Running(spare.process());
        Duration patience = spare.inhabited() ? Construction.INHABITED_ANSWER : Construction.SPARE_ANSWER;
        LiveSandbox ready = construction.adapt(wanted.as(spare.id(), generation).running(running, clock.now()), spare, patience);
        Failpoint.CREATE_ANSWERED.reach();
        return ready;
    }

    private Outcome entered(LiveSandbox ready, Entry entry) {
        SandboxRecord record = ready.record();
        try (Locks.Held _ = locks.hold(record.id(), "create")) {
            Trace.step("ledger");
            try {
                Trace.about(record.id().text());
                Optional<SandboxRecord> earlier = entry.write(record);
                if (earlier.isPresent()) {
                    ready.link().close();
                    construction.remove(record.id(), record.runtime());
                    return new Outcome(earlier.get(), false);
                }
                Failpoint.CREATE_RUNNING.reach();
                if (!record.volumes().isEmpty()) { // not before the ledger knows: others may have them
                    construction.mounting().mount(ready, List.of());
                }
                if (record.state() instanceof SandboxState.Running(MachineProcess process)) {
                    roster.enlist(ready, process);
                }
                return new Outcome(record, true);
            } catch (RuntimeException problem) {
                ready.link().close();
                throw abandoned(record, problem, () -> construction.remove(record.id(), record.runtime()));
            }
        }
    }

    /**
     * Takes away what there is of a sandbox after a failure, which is given back. Whether the row was written is not known then, so it is looked for.
     *
     * @param unentered done if there is no row
     */
    private SandglassException abandoned(SandboxRecord record, RuntimeException problem, Runnable unentered) {
        SandglassException failure = Failure.of(record, problem);
        try {
            if (ledger.find(record.id()).isPresent()) {
                undo.accept(record, failure);
            } else {
                unentered.run();
            }
        } catch (RuntimeException another) {
            LOG.error("What was made of {} could not be taken away; it is done at the next start", record.id(), another);
            failure.addSuppressed(another);
        }
        return failure;
    }

    private Outcome fresh(SandboxRecord record, Beginning beginning, Entry entry) {
        try (Locks.Held _ = locks.hold(record.id(), "create")) {
            Trace.step("ledger");
            try {
                Trace.about(record.id().text());
                Optional<SandboxRecord> earlier = entry.write(record);
                if (earlier.isPresent()) {
                    return new Outcome(earlier.get(), false);
                }
                Failpoint.CREATE_RECORDED.reach();
            } catch (RuntimeException problem) {
                throw abandoned(record, problem, () -> {}); // nothing was made yet
            }
            try {
                Image image = beginning.image();
                construction.furnish(record, image);
                return new Outcome(
                        beginning.memory().isPresent()
                                ? power.restore(record, image, beginning.memory().get(), beginning.snapshot().map(SnapshotRecord::volumes).orElse(List.of()), Power.Steps.OF_CREATE)
                                : power.up(record, image, Power.Steps.OF_CREATE),
                        true);
            } catch (RuntimeException | InterruptedException problem) {
                SandglassException failure = Failure.of(record, problem);
                undo.accept(record, failure);
                throw failure;
            }
        }
    }
}
