package dev.sandglass.engine.snapshot;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was found not to be as it was: layers and captured memory, by the names of their manifests, each with what is wrong with it. Later daemons know it too: a file
 * beside the manifest says so. Thread-safe.
 */
final class Damage {
    private static final Logger LOG = LoggerFactory.getLogger(Damage.class);
    private static final String SUFFIX = ".damaged";

    private final Map<Path, String> found = new ConcurrentHashMap<>();

    private Damage() {}

    /** @param directory where the manifests are */
    static Damage open(Path directory) {
        Damage damage = new Damage();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                Path manifest = directory.resolve(name.substring(0, name.length() - SUFFIX.length()));
                if (Files.exists(manifest)) {
                    damage.found.put(manifest, Files.readString(file));
                } else {
                    Files.delete(file);
                }
            }
            return damage;
        } catch (IOException problem) {
            throw StorageFailure.of("What is known of damaged snapshots cannot be read", problem);
        }
    }

    boolean isOf(Path manifest) {
        return found.containsKey(manifest);
    }

    /** Refuses what is known to be damaged, without another look at it. */
    void refuse(Path manifest) {
        String what = found.get(manifest);
        if (what != null) {
            throw new SandglassException(ErrorCode.SNAPSHOT_DAMAGED, what, "It cannot be used. Take the snapshot again, or import it again.");
        }
    }

    /** Looks at the files of a manifest, and keeps in mind whether they were as they are to be. */
    <T> T noted(Path manifest, Supplier<T> look) {
        T seen;
        try {
            seen = look.get();
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.SNAPSHOT_DAMAGED) {
                note(manifest, problem.what());
            }
            throw problem;
        }
        forget(manifest);
        return seen;
    }

    private void note(Path manifest, String what) {
        if (!Files.exists(manifest)) {
            return; // removed meanwhile
        }
        LOG.warn("{} is damaged: {}", manifest.getFileName(), what);
        found.put(manifest, what);
        try {
            Files.write(marker(manifest), what.getBytes(StandardCharsets.UTF_8));
        } catch (IOException problem) {
            LOG.warn("That could not be written down; the next daemon finds it out again", problem);
        }
    }

    /** What the manifest is of is as it is to be, or is gone. */
    void forget(Path manifest) {
        if (found.remove(manifest) != null) {
            try {
                Files.deleteIfExists(marker(manifest));
            } catch (IOException problem) {
                LOG.warn("{} could not be removed", marker(manifest), problem);
            }
        }
    }

    private static Path marker(Path manifest) {
        return manifest.resolveSibling(manifest.getFileName() + SUFFIX);
    }
}
