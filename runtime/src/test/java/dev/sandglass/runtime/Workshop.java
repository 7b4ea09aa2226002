package dev.sandglass.runtime;

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
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Makes machines from the shared test image and takes all of them down again. */
final class Workshop implements AutoCloseable {
    static final Limits LIMITS = new Limits(512L << 20, 1.5, 1L << 30, 200);
    private static final String TREE = "runtime-test-";

    private final Runtime runtime;
    private final Path identities;
    private final Path agent;
    private final Set<SandboxId> made = ConcurrentHashMap.newKeySet();

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
        SandboxId id = SandboxId.random();
        made.add(id);
        Path tree = TestImage.shared().pool().create(TREE + id);
        Files.createDirectory(tree.resolve("upper"));
        Files.createDirectory(tree.resolve("work"));
        Path identity = Files.createDirectory(identities.resolve(id.text()));
        Files.createFile(identity.resolve("agent"));
        Files.writeString(identity.resolve("id"), id.text());
        List<Path> layers = TestImage.shared().image().layers();
        return new Machine(id, "box-" + id.text().substring(4), layers, tree, agent, identity, limits, security, Capability.STANDARD);
    }

    Guest start(Machine machine) throws InterruptedException {
        return Guest.greet(runtime, machine, runtime.start(machine));
    }

    @Override
    public void close() throws IOException {
        for (SandboxId id : made) {
            runtime.destroy(id);
            TestImage.shared().pool().remove(TREE + id);
            Trees.remove(identities.resolve(id.text()));
        }
        made.clear();
    }
}
