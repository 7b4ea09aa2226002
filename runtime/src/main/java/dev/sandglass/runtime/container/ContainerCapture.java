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

/** Containers are stopped by the freezer of their control group. Their memory is in the host's kernel, from which only CRIU could take it. */
final class ContainerCapture implements Capture {
    private static final Duration FREEZING = Duration.ofSeconds(30);

    @Override
    public Optional<String> obstacle(String version) {
        return Optional.of(Criu.find()
                .map(found -> found.obstacle().orElse("this version of Sandglass does not use CRIU " + found.version() + " yet"))
                .orElse("CRIU is not installed (expected: " + Criu.OLDEST + " or later; Debian 12 has none that works on this kernel)"));
    }

    @Override
    public void pause(SandboxId id, SandboxDirectory directory, Cgroup group) throws IOException {
        group.freeze(System.nanoTime() + FREEZING.toNanos());
    }

    @Override
    public void resume(SandboxId id, SandboxDirectory directory, Cgroup group) throws IOException {
        group.thaw();
    }

    @Override
    public void reserve(Cgroup group, Path image) {}

    @Override
    public void checkpoint(SandboxId id, SandboxDirectory directory, Cgroup group, Path image) throws IOException {
        throw new IOException("containers have no image of their memory");
    }

    @Override
    public long leastMemory(Path image) throws IOException {
        throw new IOException("containers have no image of their memory");
    }

    @Override
    public Map<String, String> traits() {
        return Map.of();
    }
}
