package dev.sandglass.engine.oci;

import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Directories for files that are on their way in or out, each for one run. What a daemon left is removed by the next. Thread-safe. */
final class WorkDirectory {
    private final Path directory;

    private WorkDirectory(Path directory) {
        this.directory = directory;
    }

    static WorkDirectory open(Path directory) {
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> left = Files.newDirectoryStream(directory)) {
                for (Path place : left) {
                    remove(place);
                }
            }
            return new WorkDirectory(directory);
        } catch (IOException problem) {
            throw StorageFailure.of("The directory " + directory + " cannot be used", problem);
        }
    }

    Place place() throws IOException {
        return new Place(Files.createTempDirectory(directory, "image"));
    }

    /** Only files that we named ourselves are in one. */
    private static void remove(Path place) throws IOException {
        if (Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(place)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
        }
        Files.delete(place);
    }

    /** A directory that goes with all in it when this is closed. */
    record Place(Path path) implements AutoCloseable {
        /** By one system call: a {@code FileStore} reads the mount table. */
        long free() {
            return path.toFile().getUsableSpace();
        }

        /** Refuses with {@code disk_full} what would take the room that others need. */
        void requireRoom() {
            Room.require(free());
        }

        @Override
        public void close() throws IOException {
            remove(path);
        }
    }
}
