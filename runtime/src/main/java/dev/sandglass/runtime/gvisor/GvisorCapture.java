package dev.sandglass.runtime.gvisor;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.ErrnoException;
import dev.sandglass.linux.MemoryFile;
import dev.sandglass.runtime.oci.Capture;
import dev.sandglass.runtime.oci.RunDirectory;
import dev.sandglass.runtime.oci.SandboxDirectory;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Memory and processes of a gVisor sandbox: all that its kernel holds, in one image. */
final class GvisorCapture implements Capture {
    private static final Logger LOG = LoggerFactory.getLogger(GvisorCapture.class);
    /** A file of the root that is deleted, or replaced, and still open, mapped or somebody's directory has no name to be found by again. */
    private static final Pattern NAMELESS = Pattern.compile("dentry\\(\"(.*?)\"\\)\\.beforeSave: deleted");

    private final RunDirectory run;

    GvisorCapture(RunDirectory run) {
        this.run = run;
    }

    @Override
    public Optional<String> obstacle(String version) {
        return Runsc.date(version) >= Runsc.CAPTURES
                ? Optional.empty()
                : Optional.of("runsc " + version + " cannot capture memory as Sandglass needs it (expected: " + Runsc.CAPTURES + " or later)");
    }

    @Override
    public void pause(SandboxId id, SandboxDirectory directory, Cgroup group) throws IOException {
        SentryPause pause = pauseOf(id, directory);
        try {
            pause.begin();
        } catch (IOException problem) {
            goOn(pause, problem);
            throw problem;
        }
    }

    /** Nobody was told that it stands still, so nobody would let it go on. */
    private static void goOn(SentryPause pause, IOException because) {
        try {
            pause.end();
        } catch (IOException problem) {
            because.addSuppressed(problem);
        }
    }

    @Override
    public void resume(SandboxId id, SandboxDirectory directory, Cgroup group) throws IOException {
        pauseOf(id, directory).end();
    }

    @Override
    public void checkpoint(SandboxId id, SandboxDirectory directory, Cgroup group, Path image) throws IOException {
        GvisorImage made = new GvisorImage(image);
        try {
            if (MemoryFile.isOn(image)) {
                take(group, made.pages()); // what it came to use since there was room for it
            }
            made.create(directory.bundle());
            sentry(id).checkpoint(made.files());
            if (MemoryFile.isOn(image)) {
                MemoryFile.trim(made.pages());
            }
        } catch (IOException problem) {
            made.remove();
            throw explained(id, problem);
        }
    }

    /** What the sandbox's kernel writes to tmpfs is charged to the sandbox, whose limit has no room for a second copy of its memory. */
    @Override
    public boolean reserve(Cgroup group, Path image) throws IOException {
        Path pages = new GvisorImage(image).pages();
        if (!MemoryFile.isOn(image)) {
            return true;
        }
        try {
            take(group, pages);
            return true;
        } catch (ErrnoException problem) {
            LOG.info("There is no memory for an image: {}", problem.getMessage());
            Files.deleteIfExists(pages);
            return false;
        }
    }

    private static void take(Cgroup group, Path pages) throws IOException {
        if (!Files.exists(pages)) {
            Files.createFile(pages);
        }
        MemoryFile.reserve(pages, Math.max(1, group.usage().memoryBytes()));
    }

    private static IOException explained(SandboxId id, IOException problem) {
        String words = String.valueOf(problem.getMessage());
        Matcher nameless = NAMELESS.matcher(words);
        if (nameless.find()) {
            throw new SandglassException(
                    ErrorCode.SNAPSHOT_BLOCKED,
                    "The memory of " + id + " cannot be captured: /" + nameless.group(1) + " is deleted or replaced, and still in use.",
                    "End or restart the process that uses it, or take a snapshot of the disk only; files under /tmp do no harm.",
                    problem);
        }
        if (problem instanceof ErrnoException refused && refused.isNoRoom()) {
            throw new SandglassException(
                    ErrorCode.DISK_FULL, "The sandbox " + id + " took more memory just now than there is room for.", "Try again: more is looked for then.", problem);
        }
        if (words.contains("no space left on device")) {
            throw new SandglassException(
                    ErrorCode.DISK_FULL, "There is no room for the memory of " + id + ".", "Remove snapshots, or make the disk larger.", problem);
        }
        return problem;
    }

    /** As much as lets the agent find nothing to end. */
    @Override
    public long leastMemory(Path image) throws IOException {
        return GvisorLimits.least(new GvisorImage(image).memoryBytes());
    }

    @Override
    public Map<String, String> traits(boolean linked) {
        return Map.of("flags", String.join(" ", Runsc.flags(linked)), "mounts", String.join(" ", GvisorMounts.TARGETS));
    }

    private Sentry sentry(SandboxId id) {
        return new Sentry(Runsc.controlSocket(run.state(Runsc.PROGRAM), id));
    }

    private SentryPause pauseOf(SandboxId id, SandboxDirectory directory) {
        return new SentryPause(sentry(id), directory.path().resolve("paused"));
    }
}
