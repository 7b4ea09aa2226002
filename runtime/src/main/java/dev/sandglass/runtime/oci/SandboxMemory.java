package dev.sandglass.runtime.oci;

import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.Cgroups;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory and processes of sandboxes that run: stopped, captured and let go on. */
record SandboxMemory(Capture capture, RunDirectory run, Cgroups cgroups) {
    private static final long MEBIBYTE = 1 << 20;

    private interface Step {
        boolean take(SandboxDirectory directory, Cgroup group) throws IOException;
    }

    void pause(SandboxId id) {
        step(id, "be paused", (directory, group) -> {
            capture.pause(id, directory, group);
            return true;
        });
    }

    void resume(SandboxId id) {
        step(id, "go on", (directory, group) -> {
            capture.resume(id, directory, group);
            return true;
        });
    }

    boolean reserve(SandboxId id, Path image) {
        return step(id, "be captured", (_, group) -> capture.reserve(group, image));
    }

    void checkpoint(SandboxId id, Path image) {
        step(id, "be captured", (directory, group) -> {
            capture.checkpoint(id, directory, group, image);
            return true;
        });
    }

    long least(Path image) {
        try {
            return capture.leastMemory(image);
        } catch (IOException problem) {
            throw new SandglassException(
                    ErrorCode.RUNTIME_FAILED,
                    "The image of the memory in " + image + " cannot be read: " + problem.getMessage(),
                    "The snapshot is not whole: take another.",
                    problem);
        }
    }

    void requireRoom(Limits limits, Path image) {
        long least = least(image);
        if (limits.memoryBytes() < least) {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "memory_mb: " + limits.memoryBytes() / MEBIBYTE + " (expected: >= " + (least + MEBIBYTE - 1) / MEBIBYTE + ", which the snapshot's memory needs)",
                    "Give it more memory, or start from the disk of the snapshot only.");
        }
    }

    private boolean step(SandboxId id, String what, Step step) {
        SandboxDirectory directory = run.sandbox(id);
        if (!Files.exists(directory.path())) {
            throw new SandglassException(
                    ErrorCode.SANDBOX_NOT_RUNNING, "The sandbox " + id + " is not running.", "See `sandglass inspect`.");
        }
        try {
            return step.take(directory, cgroups.group(run.cgroupParent(), id.text()));
        } catch (IOException problem) {
            String log = directory.logTail();
            throw new SandglassException(
                    ErrorCode.RUNTIME_FAILED,
                    "The sandbox " + id + " cannot " + what + ": " + problem.getMessage() + (log.isEmpty() ? "" : ": " + log),
                    "Try again; if it stays, look at the host's kernel log.",
                    problem);
        }
    }
}
