package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.Agents;
import dev.sandglass.engine.guest.Greeting;
import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.network.Network;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Terms;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes what a sandbox consists of, and takes it away again: tree, identity, processes, link. Writes no ledger. */
final class Construction {
    /** For a sandbox that was just started, on a machine that may be busy starting many. */
    static final Duration FIRST_ANSWER = Duration.ofSeconds(60);

    /** For one that runs already: what is in it may starve its agent, and must not keep the daemon from serving others. */
    static final Duration NEXT_ANSWER = Duration.ofSeconds(10);

    /** For one that waited, in the place of which another can be had. */
    static final Duration SPARE_ANSWER = Duration.ofSeconds(2);

    /** For one that waited and in which something has run: what is to know that it goes on (on-resume.d) runs first. */
    static final Duration INHABITED_ANSWER = Duration.ofSeconds(20);

    private static final Logger LOG = LoggerFactory.getLogger(Construction.class);
    private static final long MIB = 1 << 20;
    private static final String TREE_PREFIX = "sandbox-";

    private final Pool pool;
    private final Map<String, Runtime> runtimes;
    private final Agents agents;
    private final Identities identities;
    private final Restores restores;
    private final Network network;
    private final Mounting mounting;

    Construction(Pool pool, Map<String, Runtime> runtimes, Agents agents, Path directory, Restores restores, Network network) {
        this.pool = pool;
        this.runtimes = runtimes;
        this.agents = agents;
        this.identities = new Identities(directory, new Trust(network::certificate));
        this.restores = restores;
        this.network = network;
        this.mounting = new Mounting(pool, identities);
    }

    /** What brings volumes into those that run. */
    Mounting mounting() {
        return mounting;
    }

    /** The sandbox's own tree, empty and limited, with its identity in it. */
    void furnish(SandboxRecord record, Image image) {
        furnish(record, () -> identities.write(record, pool.path(tree(record.id())), layers(record, image)));
    }

    /** The same for one that gets its name later, by {@link #adapt}. */
    void furnishUnnamed(SandboxRecord record, Image image) {
        furnish(record, () -> identities.writeUnnamed(record, pool.path(tree(record.id())), layers(record, image)));
    }

    /** The same on layers that have its files already. */
    void furnishAgain(SandboxRecord record, Image image) {
        furnish(record, () -> identities.writeOutside(record, pool.path(tree(record.id())), layers(record, image)));
    }

    /** The same on layers that have its files from when it had another name. */
    void furnishRenamed(SandboxRecord record, Image image) {
        furnish(record, () -> identities.writeRenamed(record, pool.path(tree(record.id())), layers(record, image)));
    }

    private interface Writing {
        void run() throws IOException;
    }

    private void furnish(SandboxRecord record, Writing identity) {
        String tree = tree(record.id());
        Trace.step("tree");
        pool.create(tree);
        limit(record);
        Failpoint.CREATE_TREE.reach();
        Trace.step("identity");
        try {
            identity.run();
        } catch (IOException problem) {
            throw StorageFailure.of("The sandbox's first files cannot be written", problem);
        }
        Failpoint.CREATE_IDENTITY.reach();
    }

    /** Makes the sandbox that nobody has used the one of the record, which says that it runs: its files, its host name, its limits, its policy, its agent. */
    LiveSandbox adapt(SandboxRecord record, Spare spare, Duration deadline) throws InterruptedException {
        Trace.step("identity");
        try {
            if (spare.inhabited()) { // what is on its disk is told to the agent: others may have put something else there
                identities.name(record);
            } else {
                identities.rename(record, pool.path(tree(record.id())));
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The sandbox's name cannot be written", problem);
        }
        Failpoint.CREATE_IDENTITY.reach();
        nameHost(record);
        govern(record);
        if (!record.limits().equals(spare.limits())) {
            Trace.step("limits");
            runtime(record).limit(record.id(), record.limits());
            limit(record);
        }
        Trace.step("agent");
        if (spare.still()) {
            runtime(record).thaw(record.id());
        }
        LiveSandbox sandbox = link(record, deadline);
        sandbox.use(); // to wait is not to be idle
        if (!spare.inhabited()) {
            return sandbox;
        }
        try {
            new NamingInside(sandbox).run();
        } catch (RuntimeException problem) {
            sandbox.link().close();
            throw problem;
        }
        return sandbox;
    }

    MachineProcess start(SandboxRecord record, Image image) {
        if (!record.volumes().isEmpty()) {
            identities.makePlaces(record.id());
        }
        return runtime(record).start(machine(record, image));
    }

    /** Lets the processes of a runtime's image go on in a sandbox. */
    MachineProcess restore(SandboxRecord record, Image image, Path memory) {
        Runtime runtime = runtime(record);
        return restores.run(record.id(), runtime.leastMemory(memory), () -> {
            Failpoint.RESUME_TURN.reach();
            identities.makePlaces(record.id()); // captured processes may know any of them
            return runtime.restore(machine(record, image), memory);
        });
    }

    /** A sandbox is about to be destroyed: until that is closed, what waits for its turn to be brought back in it gives up. Needs no lock. */
    Restores.Unwanted unwanted(SandboxId id) {
        return restores.unwanted(id);
    }

    /** Refuses to let the processes of a runtime's image go on in place of those that a sandbox has, if there is no memory for them. */
    void requireMemory(SandboxRecord record, Path memory) {
        Runtime runtime = runtime(record);
        restores.require(runtime.leastMemory(memory), runtime.usage(record.id()).memoryBytes());
    }

    private Machine machine(SandboxRecord record, Image image) {
        return new Machine(
                record.id(),
                Names.hostname(record.name()),
                layers(record, image),
                pool.path(tree(record.id())),
                agents.path(record.agent()),
                identities.path(record.id()),
                record.limits(),
                record.security(),
                record.capabilities(),
                terms(record).map(terms -> network.join(record.id(), terms)),
                mounting.machine(record.volumes()));
    }

    /** Top first: what its snapshots have on top of its image. */
    private List<Path> layers(SandboxRecord record, Image image) {
        return Stream.concat(record.lineage().layers().stream().map(pool.layers()::lower), image.layers().stream()).toList();
    }

    /** Does work on the tree of a sandbox. Its limit is set anew: what a layer shares with the tree may be charged to it. */
    <T> T onTree(SandboxRecord record, Function<String, T> work) {
        String tree = tree(record.id());
        T done;
        try {
            done = work.apply(tree);
        } catch (RuntimeException problem) {
            try {
                limit(record);
            } catch (RuntimeException too) {
                problem.addSuppressed(too); // why the work failed is what the caller must hear
            }
            throw problem;
        }
        limit(record);
        return done;
    }

    private void limit(SandboxRecord record) {
        if (pool.canLimit()) {
            pool.limit(tree(record.id()), record.limits().diskBytes());
        }
    }

    /** Reaches the agent of a sandbox whose processes run. */
    LiveSandbox link(SandboxRecord record, Duration deadline) throws InterruptedException {
        Runtime runtime = runtime(record);
        GuestLink link = GuestLink.open(record.name(), runtime.connect(record.id()), greeting(record, runtime), deadline, () -> lives(record, runtime));
        return new LiveSandbox(record, runtime, link);
    }

    private static boolean lives(SandboxRecord record, Runtime runtime) {
        return !(record.state() instanceof SandboxState.Running(MachineProcess process)) || runtime.life(process) == Life.ALIVE;
    }

    Consumption consumption(SandboxId id, Runtime runtime) {
        OptionalLong disk = pool.canLimit() ? OptionalLong.of(pool.usedBytes(tree(id))) : OptionalLong.empty();
        return new Consumption(runtime.usage(id), disk, runtime.seesProcesses());
    }

    /** Asked before anything begins that needs room; {@code disk_full}. */
    void requireRoom() {
        pool.requireRoom();
    }

    PoolStatus pool() {
        return pool.status();
    }

    private Greeting greeting(SandboxRecord record, Runtime runtime) {
        return new Greeting(
                runtime.guestSettings(record.security(), record.capabilities(), record.limits()),
                Names.hostname(record.name()),
                record.network().isPresent() ? Trust.environment(network.environment(record.credentials()), record.env()) : record.env(),
                record.lineage().generation(),
                () -> runtime.oomKills(record.id()));
    }

    /** Tells the agent of a running sandbox what its record says now. */
    void inform(LiveSandbox sandbox) {
        nameHost(sandbox.record(), sandbox.runtime());
        sandbox.link().settle(greeting(sandbox.record(), sandbox.runtime()));
    }

    /** Gives a sandbox that runs the host name of its record, where its agent may not. A wrong name keeps nobody from using it. */
    void nameHost(SandboxRecord record) {
        nameHost(record, runtime(record));
    }

    private static void nameHost(SandboxRecord record, Runtime runtime) {
        if (record.state() instanceof SandboxState.Running(MachineProcess process)) {
            try {
                runtime.name(process, Names.hostname(record.name()));
            } catch (SandglassException problem) {
                LOG.warn("Sandbox {} keeps its old host name: {}", record.id(), problem.what());
            }
        }
    }

    private Optional<Terms> terms(SandboxRecord record) {
        return record.network().map(policy -> new Terms(policy, identities.authority(record.id()), record.credentials()));
    }

    /** Refuses a change to rules that would open nothing. */
    void requireUseful(Policy before, Policy next) {
        new VainRules(network::closed).refuse(before, next);
    }

    /** Puts the policy and the credentials of the record in force, if it has a network. */
    void govern(SandboxRecord record) {
        terms(record).ifPresent(terms -> network.change(record.id(), terms));
    }

    /** Takes the network over that a sandbox has since an earlier daemon. If that fails nothing gets out of it, and all else of it can be used. */
    void rejoin(SandboxRecord record) {
        try {
            terms(record).ifPresent(terms -> network.rejoin(record.id(), terms));
        } catch (SandglassException problem) {
            LOG.error("Sandbox {} has no network: {}", record.id(), problem.what(), problem);
        }
    }

    /** Refuses a limit of the disk under what is on it. */
    void requireRoomFor(SandboxRecord record) {
        if (!pool.canLimit()) {
            return;
        }
        long used = pool.usedBytes(tree(record.id()));
        if (used > record.limits().diskBytes()) {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "disk_mb: " + record.limits().diskBytes() / MIB + " is less than what " + record.name() + " has written: " + used / MIB + " MB.",
                    "Remove files in it first.");
        }
    }

    /** Makes the host hold the limits of the record, and show its name; what is in force already stays. Can be done twice. */
    void enforce(SandboxRecord record) {
        if (record.state() instanceof SandboxState.Running) {
            runtime(record).limit(record.id(), record.limits());
        }
        limit(record);
        try {
            identities.name(record);
        } catch (IOException problem) {
            throw StorageFailure.of("The sandbox's name cannot be written", problem);
        }
    }

    /** Ends all processes and takes away all that a runtime made; the disk stays. */
    void stop(SandboxRecord record) {
        runtime(record).destroy(record.id());
        network.leave(record.id());
    }

    /** The same for one whose disk is about to go. */
    void stopForGood(SandboxRecord record) {
        runtime(record).destroyForGood(record.id());
        network.leave(record.id());
    }

    void removeTree(SandboxId id) {
        pool.remove(tree(id));
    }

    void removeIdentity(SandboxId id) {
        identities.remove(id);
    }

    Runtime runtime(SandboxRecord record) {
        return runtime(record.runtime());
    }

    Runtime runtime(String name) {
        Runtime runtime = runtimes.get(name);
        if (runtime == null) {
            throw new SandglassException(
                    ErrorCode.RUNTIME_UNAVAILABLE, "The runtime " + name + " is not built in.", "Use a newer Sandglass.");
        }
        return runtime;
    }

    /** Why the processes of a sandbox cannot be captured; empty if they can. */
    Optional<String> obstacleToMemory(SandboxRecord record) {
        Runtime runtime = runtime(record);
        return !record.volumes().isEmpty() && runtime.capturesOnHost()
                ? Optional.of("the host's kernel brings back no processes that have volumes")
                : obstacleToMemory(runtime, record.network().isPresent());
    }

    /** @param linked whether it has a network */
    static Optional<String> obstacleToMemory(Runtime runtime, boolean linked) {
        boolean isTiedToTheHost = linked && runtime.capturesOnHost();
        return isTiedToTheHost ? Optional.of("the host's kernel brings back no processes that have a network") : runtime.obstacleToMemory();
    }

    /** Whether that is a runtime of this machine whose processes the host's kernel itself brings back. */
    boolean capturesOnHost(String name) {
        Runtime runtime = runtimes.get(name);
        return runtime != null && runtime.capturesOnHost();
    }

    /** Every sandbox of which anything is on this host, whether the ledger knows it or not. */
    Set<SandboxId> present() {
        Set<SandboxId> found = pool.trees().stream()
                .filter(tree -> tree.startsWith(TREE_PREFIX))
                .map(tree -> tree.substring(TREE_PREFIX.length()))
                .filter(SandboxId::isId)
                .map(SandboxId::new)
                .collect(Collectors.toSet());
        found.addAll(identities.present());
        runtimes.values().forEach(runtime -> found.addAll(runtime.present()));
        found.addAll(network.present());
        return found;
    }

    /** Takes away whatever there is of a sandbox that the ledger does not know. */
    void sweep(SandboxId id) {
        runtimes.values().forEach(runtime -> runtime.destroyForGood(id));
        network.leave(id);
        removeTree(id);
        removeIdentity(id);
    }

    /** Takes away all there is of a sandbox of that runtime that the ledger does not know. */
    void remove(SandboxId id, String runtime) {
        runtime(runtime).destroyForGood(id);
        network.leave(id);
        removeTree(id);
        removeIdentity(id);
    }

    static String tree(SandboxId id) {
        return TREE_PREFIX + id.text();
    }
}
