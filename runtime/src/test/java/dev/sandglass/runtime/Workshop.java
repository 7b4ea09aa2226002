package dev.sandglass.runtime;

import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.network.Namespaces;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.linux.Trees;
import dev.sandglass.pool.image.TestImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Makes machines from the shared test image and takes all of them down again. */
final class Workshop implements AutoCloseable {
    static final Limits LIMITS = new Limits(512L << 20, 1.5, 1L << 30, 200);
    private static final String TREE = "runtime-test-";
    private static final String LAYER = "runtime-test-layer-";

    private final Runtime runtime;
    private final Path identities;
    private final Path agent;
    private final Set<SandboxId> made = ConcurrentHashMap.newKeySet();
    private final List<String> layers = new CopyOnWriteArrayList<>();
    private final Map<SandboxId, Guest> guests = new ConcurrentHashMap<>();
    private final List<Path> images = new CopyOnWriteArrayList<>();

    Workshop(Runtime runtime, Path runDirectory) throws IOException {
        this.runtime = runtime;
        this.identities = Files.createDirectories(runDirectory.resolve("identities"));
        this.agent = Path.of(System.getProperty("sandglass.agent", "../guest/target/sandglass-agent"))
                .toRealPath();
    }

    Machine machine() throws IOException {
        return machine(Security.STRICT, LIMITS);
    }

    Machine machine(Security security, Limits limits) throws IOException {
        return machine(security, limits, TestImage.shared().image().layers());
    }

    private Machine machine(Security security, Limits limits, List<Path> layers) throws IOException {
        SandboxId id = SandboxId.random();
        made.add(id);
        Path tree = TestImage.shared().pool().create(TREE + id);
        Files.createDirectory(tree.resolve("upper"));
        Files.createDirectory(tree.resolve("work"));
        Path identity = Files.createDirectory(identities.resolve(id.text()));
        Files.createFile(identity.resolve("agent"));
        Files.writeString(identity.resolve("id"), id.text());
        return new Machine(id, "box-" + id.text().substring(4), layers, tree, agent, identity, limits, security, Capability.STANDARD, Optional.empty());
    }

    /** The same machine in those namespaces. */
    static Machine joined(Machine machine, Namespaces network) {
        return new Machine(
                machine.id(), machine.hostname(), machine.layers(), machine.writable(),
                machine.agent(), machine.identity(), machine.limits(), machine.security(), machine.capabilities(), Optional.of(network));
    }

    Guest start(Machine machine) throws InterruptedException {
        return known(Guest.greet(runtime, machine, runtime.start(machine)));
    }

    private Guest known(Guest guest) {
        guests.put(guest.machine().id(), guest);
        return guest;
    }

    /** Pauses a sandbox, takes its disk and its memory, and lets it go on. */
    Snapshot snapshot(Machine machine, Path image) throws IOException {
        String layer = LAYER + layers.size() + "-" + machine.id();
        Optional<GuestLink> link = Optional.ofNullable(guests.get(machine.id())).map(Guest::link).filter(GuestLink::isOpen);
        link.filter(_ -> runtime.capturesOnHost()).ifPresent(open -> {
            open.open();
            open.hold().close(); // it has heard it
        });
        runtime.reserve(machine.id(), image);
        runtime.pause(machine.id());
        try {
            layers.add(layer);
            Path copy = TestImage.shared().pool().copy(TREE + machine.id(), layer);
            runtime.checkpoint(machine.id(), image);
            List<Path> all = new ArrayList<>(List.of(copy.resolve("upper")));
            all.addAll(machine.layers());
            return new Snapshot(all, image);
        } finally {
            runtime.resume(machine.id());
            link.ifPresent(GuestLink::shut);
        }
    }

    Snapshot snapshot(Machine machine) throws IOException {
        return snapshot(machine, image());
    }

    /** An empty directory in memory. */
    Path image() throws IOException {
        Path image = Files.createTempDirectory(Path.of("/dev/shm"), "sandglass-test-");
        images.add(image);
        return image;
    }

    /** A machine of the same kind, with its own id and disk, on what the snapshot froze. */
    Machine copyOf(Machine machine, Snapshot snapshot, Limits limits) throws IOException {
        return machine(machine.security(), limits, snapshot.layers());
    }

    /** A copy that goes on from the snapshot, and whose agent answers. */
    Guest restore(Machine machine, Snapshot snapshot) throws IOException, InterruptedException {
        return goOn(copyOf(machine, snapshot, machine.limits()), snapshot);
    }

    Guest goOn(Machine copy, Snapshot snapshot) throws InterruptedException {
        return known(Guest.greet(runtime, copy, runtime.restore(copy, snapshot.image())));
    }

    @Override
    public void close() throws IOException {
        for (SandboxId id : made) {
            runtime.destroy(id);
            TestImage.shared().pool().remove(TREE + id);
            Trees.remove(identities.resolve(id.text()));
        }
        made.clear();
        guests.clear();
        for (String layer : layers) {
            TestImage.shared().pool().remove(layer);
        }
        layers.clear();
        for (Path image : images) {
            Trees.remove(image);
        }
        images.clear();
    }
}
