package dev.sandglass.runtime.container;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.runtime.oci.Capture;
import dev.sandglass.runtime.oci.SandboxDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Containers are stopped by the freezer of their control group. Their memory is in the host's kernel, from which CRIU takes it where there
 * is one that can.
 */
final class ContainerCapture implements Capture {
    private static final Duration FREEZING = Duration.ofSeconds(30);
    /** In which a moment is looked for when CRIU can capture it. */
    private static final Duration AVOIDING = Duration.ofSeconds(5);
    private static final long SHORTEST_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    /** For CRIU itself, which brings processes back under their own limit, and for what the kernel holds for them. */
    private static final long BESIDES = 64L << 20;

    private final Supplier<String> mounts;
    private final AtomicReference<@Nullable Criu> known = new AtomicReference<>();

    /** @param mounts the places inside at which something is mounted, as a text */
    ContainerCapture(Supplier<String> mounts) {
        this.mounts = mounts;
    }

    @Override
    public Optional<String> obstacle(String version) {
        if (known.get() != null) {
            return Optional.empty();
        }
        Optional<Criu> found = Criu.find();
        if (found.isEmpty()) {
            return Optional.of("CRIU is not installed (expected: " + Criu.OLDEST + " or later; Debian has it from 13 on)");
        }
        Optional<String> obstacle = KernelRelease.current().isAtLeast(6, 3)
                ? found.get().obstacle()
                : Optional.of("images of processes in memory need Linux 6.3, this is " + KernelRelease.current());
        if (obstacle.isEmpty()) {
            known.set(found.get()); // what is missing may be installed while the daemon runs
        }
        return obstacle;
    }

    @Override
    public boolean isByHost() {
        return true;
    }

    Criu criu() throws IOException {
        Criu found = known.get();
        if (found == null) {
            throw new IOException(obstacle("").orElse("CRIU was just installed: try again"));
        }
        return found;
    }

    @Override
    public void pause(SandboxId id, SandboxDirectory directory, Cgroup group) throws IOException {
        new Capturing(directory.path()).await();
        long deadline = System.nanoTime() + FREEZING.toNanos();
        group.freeze(deadline);
        long unstoppable = System.nanoTime() + AVOIDING.toNanos();
        for (long nanos = SHORTEST_NANOS; known.get() != null && new Vforks(group).any(); nanos *= 2) {
            if (System.nanoTime() - unstoppable > 0) {
                return; // it does nothing else; CRIU will say so
            }
            group.thaw();
            LockSupport.parkNanos(nanos);
            group.freeze(deadline);
        }
    }

    @Override
    public void resume(SandboxId id, SandboxDirectory directory, Cgroup group) throws IOException {
        new Capturing(directory.path()).await();
        group.thaw();
    }

    /** CRIU is in no sandbox's control group, so nothing that it writes is charged to one. */
    @Override
    public boolean reserve(Cgroup group, Path image) {
        return true;
    }

    @Override
    public void checkpoint(SandboxId id, SandboxDirectory directory, Cgroup group, Path image) throws IOException {
        CriuImage made = new CriuImage(image);
        try {
            new CriuDump(criu(), id, directory, group, made).run();
        } catch (IOException | RuntimeException problem) {
            made.clear();
            throw problem;
        }
    }

    @Override
    public long leastMemory(Path image) throws IOException {
        return new CriuImage(image).memoryBytes() + BESIDES;
    }

    @Override
    public Map<String, String> traits(boolean linked) {
        String version = obstacle("").orElseGet(() -> Optional.ofNullable(known.get()).map(Criu::version).orElse("none"));
        return Map.of(
                "criu", version,
                "kernel", KernelRelease.current().toString(),
                "flags", String.join(" ", CriuRestore.FLAGS),
                "mounts", mounts.get());
    }
}
