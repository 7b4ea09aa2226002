package dev.sandglass.runtime.container;

import dev.sandglass.linux.MountFlag;
import dev.sandglass.linux.SmallFile;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The processes of a container as CRIU writes them down, and what of them was outside. */
record CriuImage(Path directory) {
    private static final long RECORD_BYTES = 4;
    private static final String DESCRIPTION = "outside.json";
    /** Many times what Sandglass writes; an image may be somebody else's work. */
    private static final int DESCRIPTION_BYTES = 1 << 20;

    /**
     * What an image has only the names of: it is there anew where the processes go on.
     *
     * @param streams how CRIU calls the two FIFOs of PID 1 and its log, in the order of {@link SandboxStreams}
     */
    @io.avaje.jsonb.Json
    record Outside(List<String> streams, List<Place> mounts) {}

    /** A mount from outside, and what it forbids. */
    @io.avaje.jsonb.Json
    record Place(String target, Set<MountFlag> flags) {}

    /** Lets processes that are neither root any more nor root of the sandbox yet get through; the files stay root's own. */
    void describe(Outside outside) throws IOException {
        Files.write(description(), Json.bytes(outside));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    }

    Outside outside() throws IOException {
        return Json.read(Outside.class, SmallFile.read(directory, DESCRIPTION, DESCRIPTION_BYTES));
    }

    /** What time it was. */
    List<Path> clocks() throws IOException {
        List<Path> clocks = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "timens-*.img")) {
            files.forEach(clocks::add);
        }
        return clocks;
    }

    /** Pages of processes, and files in memory, which are packed. */
    long memoryBytes() throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "{pages-*.img,tmpfs-*.tar.gz.img}")) {
            for (Path file : files) {
                bytes += String.valueOf(file.getFileName()).startsWith("pages") ? Files.size(file) : unpacked(file);
            }
        }
        return bytes;
    }

    /** As gzip notes it at the end, up to 4 GiB. */
    private static long unpacked(Path file) throws IOException {
        try (RandomAccessFile packed = new RandomAccessFile(file.toFile(), "r")) {
            packed.seek(Math.max(0, packed.length() - RECORD_BYTES));
            return packed.length() < RECORD_BYTES ? 0 : Integer.toUnsignedLong(Integer.reverseBytes(packed.readInt()));
        }
    }

    void clear() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (Files.isDirectory(file)) {
                    Trees.remove(file);
                } else {
                    Files.delete(file);
                }
            }
        }
    }

    private Path description() {
        return directory.resolve(DESCRIPTION);
    }
}
