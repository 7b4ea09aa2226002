package dev.sandglass.bench.raw;

import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.MountTable;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.Trees;
import dev.sandglass.runtime.oci.RunDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The places of raw containers: a run directory and a directory in the pool, both swept clean before and after. One bench at a
 * time has them.
 */
public final class Area implements AutoCloseable {
    private static final Duration KILL_TIME = Duration.ofSeconds(20);

    private static final Pattern ID = Pattern.compile("sbx-[a-z0-9]{12}");

    private final RunDirectory run;
    private final Path trees;
    private final Path image;
    private final FileChannel lockFile;

    private Area(RunDirectory run, Path trees, Path image, FileChannel lockFile) {
        this.run = run;
        this.trees = trees;
        this.image = image;
        this.lockFile = lockFile;
    }

    /** @param runDir the daemon's run directory; the process must be in the daemon's mount namespace */
    public static Area open(Path runDir, Path dataDir, String imageId) throws IOException {
        Path image = dataDir.resolve("pool").resolve("image-" + imageId);
        if (!Files.isDirectory(image)) {
            throw new IOException("The image " + image + " cannot be seen from here. Run this as `sandglass bench`, which enters the "
                    + "daemon's mount namespace.");
        }
        FileChannel lockFile = FileChannel.open(
                runDir.resolve("bench.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        @Nullable FileLock lock = lockFile.tryLock();
        if (lock == null) {
            lockFile.close();
            throw new IOException("Another bench is running here. Wait for its end.");
        }
        // The last name of the run directory also names the control groups, on which other daemons must not stumble.
        RunDirectory run = new RunDirectory(runDir.resolve(runDir.getFileName() + "-bench"));
        Area area = new Area(run, dataDir.resolve("pool").resolve("bench"), image, lockFile);
        area.sweep();
        run.prepare();
        Files.createDirectories(area.trees);
        return area;
    }

    RunDirectory run() {
        return run;
    }

    Path trees() {
        return trees;
    }

    Path image() {
        return image;
    }

    /** Kills, unmounts and removes everything here. */
    private void sweep() throws IOException {
        for (Engine engine : Engine.values()) {
            endContainers(engine);
        }
        Cgroups cgroups = Cgroups.detect();
        for (String name : cgroups.names(run.cgroupParent())) {
            cgroups.group(run.cgroupParent(), name).destroy(System.nanoTime() + KILL_TIME.toNanos());
        }
        cgroups.removeIfEmpty(run.cgroupParent());
        for (Path directory : List.of(run.path(), trees)) {
            for (List<Path> left = MountTable.under(directory); !left.isEmpty(); left = MountTable.under(directory)) {
                Mounts.detach(left.getLast());
            }
            remove(directory);
        }
    }

    /** A container in no control group of its own is known to its engine only. */
    private void endContainers(Engine engine) throws IOException {
        Path state = run.state(engine.program());
        if (!Files.isDirectory(state)) {
            return;
        }
        try (DirectoryStream<Path> containers = Files.newDirectoryStream(state)) {
            for (Path container : containers) {
                Matcher id = ID.matcher(String.valueOf(container.getFileName()));
                if (id.find()) {
                    end(List.of(engine.program(), "--root", state.toString(), "delete", "--force", id.group()));
                }
            }
        }
    }

    private void end(List<String> command) {
        try {
            new Program(run.path().resolve("log")).run(command);
        } catch (IOException alreadyGone) {
            return;
        }
    }

    private static void remove(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            Trees.remove(directory);
        }
    }

    @Override
    public void close() throws IOException {
        try (lockFile) {
            sweep();
        }
    }
}
