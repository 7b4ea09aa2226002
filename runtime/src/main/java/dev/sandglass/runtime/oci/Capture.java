package dev.sandglass.runtime.oci;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.Cgroup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** How an isolation stops its sandboxes, and writes down their memory and processes. Thread-safe. */
public interface Capture {
    /** Why the engine of that version can stop them only; empty if it can write them down too. */
    Optional<String> obstacle(String version);

    /** Whether the host's own kernel does it. */
    default boolean isByHost() {
        return false;
    }

    /** Fine on one that is stopped already. */
    void pause(SandboxId id, SandboxDirectory directory, Cgroup group) throws IOException;

    /** Fine on one that is not stopped. */
    void resume(SandboxId id, SandboxDirectory directory, Cgroup group) throws IOException;

    /** Takes the room for an image in an empty directory, where that takes time; false if there is none. */
    boolean reserve(Cgroup group, Path image) throws IOException;

    /** Writes a stopped sandbox into a directory with at most what was reserved, which is empty when it throws. */
    void checkpoint(SandboxId id, SandboxDirectory directory, Cgroup group, Path image) throws IOException;

    /** The least memory limit with which an image can be brought back. */
    long leastMemory(Path image) throws IOException;

    /** What must be the same where an image is made and where it is brought back, besides machine and engine. */
    Map<String, String> traits(boolean linked);
}
