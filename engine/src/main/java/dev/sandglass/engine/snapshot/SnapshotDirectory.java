package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.SnapshotFile;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/** The directory in which a data directory keeps files of snapshots. Thread-safe. */
final class SnapshotDirectory {
    private final Path directory;

    private SnapshotDirectory(Path directory) {
        this.directory = directory;
    }

    /** Makes it where it is missing, and removes what was half written when a daemon died. */
    static SnapshotDirectory open(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        try (DirectoryStream<Path> half = Files.newDirectoryStream(directory, ".*.new")) {
            for (Path file : half) {
                Files.delete(file);
            }
        }
        return new SnapshotDirectory(directory);
    }

    Path path() {
        return directory;
    }

    /** Writes the file of a snapshot, in the place of one that has its name: there whole and on disk, or not at all. */
    SnapshotFile write(Export export) {
        Path file = directory.resolve(export.fileName());
        try {
            Path making = Files.createTempFile(directory, ".export", ".new");
            try {
                try (FileChannel channel = FileChannel.open(making, StandardOpenOption.WRITE);
                        OutputStream output = Channels.newOutputStream(channel)) {
                    export.writeTo(output);
                    channel.force(true);
                }
                Failpoint.EXPORT_WRITTEN.reach();
                FileMark.of(making).set(making);
                Files.move(making, file, StandardCopyOption.ATOMIC_MOVE);
                Failpoint.EXPORT_NAMED.reach();
            } finally {
                Files.deleteIfExists(making);
            }
            try (FileChannel parent = FileChannel.open(directory, StandardOpenOption.READ)) {
                parent.force(true);
            }
            return new SnapshotFile(file.toString(), Files.size(file));
        } catch (IOException problem) {
            throw StorageFailure.of("The file " + file + " cannot be written", problem);
        }
    }
}
