package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.manifest.ManifestReader;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What the image of captured processes may be, whatever the runtime: plain files in one directory, each with one name. A runtime opens them
 * by their names with the rights of root, so a link would bring a file of the host into the sandbox, and a fifo would keep it waiting for ever.
 */
final class MemoryFiles {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
    private static final int MOST = 1 << 16;
    private static final int TYPE = 0xF000;
    private static final int REGULAR = 0x8000;

    private MemoryFiles() {}

    /** Refuses a part of a snapshot's file that would make anything else. */
    static void requireSaid(Path manifest) throws IOException {
        try (ManifestReader reader = ManifestReader.open(manifest)) {
            int count = 0;
            for (Optional<ManifestEntry> next = reader.next(); next.isPresent(); next = reader.next()) {
                ManifestEntry entry = next.get();
                boolean fits = entry.depth() == 0
                        ? entry.isDirectory()
                        : entry.depth() == 1 && entry.content() instanceof EntryContent.RegularFile && NAME.matcher(entry.name().toString()).matches();
                if (!fits || ++count > MOST) {
                    throw ArchiveFormat.refused("memory: " + entry.name() + " (expected: plain files in one directory)");
                }
            }
        }
    }

    /** Refuses an image that is something else: it may have come before files were looked at as they are now. */
    static void requireFound(Path image) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(image)) {
            int count = 0;
            for (Path file : files) {
                Map<String, Object> facts = Files.readAttributes(file, "unix:mode,nlink", LinkOption.NOFOLLOW_LINKS);
                boolean isPlain = facts.get("mode") instanceof Integer mode && (mode & TYPE) == REGULAR && Integer.valueOf(1).equals(facts.get("nlink"));
                if (!isPlain || !NAME.matcher(String.valueOf(file.getFileName())).matches() || ++count > MOST) {
                    throw damaged(file);
                }
            }
        } catch (IOException problem) {
            throw StorageFailure.of("Captured memory cannot be listed", problem);
        }
    }

    private static SandglassException damaged(Path file) {
        return new SandglassException(
                ErrorCode.SNAPSHOT_DAMAGED,
                "The snapshot is damaged: memory/" + file.getFileName() + ": it is no plain file.",
                "Delete the snapshot: a file that was imported tried to lead out of it.");
    }
}
