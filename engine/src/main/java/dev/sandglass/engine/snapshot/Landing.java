package dev.sandglass.engine.snapshot;

import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Where captured processes land while their sandbox stands still: a directory in memory, because a pool takes much longer to
 * take them. They go to the pool when the sandbox goes on, and nothing here outlives the daemon. Thread-safe.
 */
public final class Landing {
    private final Optional<Path> directory;
    private final LongSupplier free;
    /** How much room each was promised. */
    private final Map<String, Long> taken = new HashMap<>();

    private Landing(Optional<Path> directory, LongSupplier free) {
        this.directory = directory;
        this.free = free;
    }

    /** For a machine that has none: everything goes to the pool at once. */
    public static Landing none() {
        return new Landing(Optional.empty(), () -> 0);
    }

    /**
     * Removes what an earlier daemon left, which nobody needs any more.
     *
     * @param directory on tmpfs
     * @param free how many bytes of memory the machine can spare now
     */
    public static Landing at(Path directory, LongSupplier free) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory)) {
            for (Path each : left) {
                clear(each);
            }
        }
        return new Landing(Optional.of(directory), free);
    }

    /**
     * An empty directory, unless all that is here would take more than half of the memory that can be spared now. What is written already is not in
     * that any more and counts twice: how much of what was promised is written nobody knows, and that way it is never too much.
     */
    synchronized Optional<Path> take(String name, long bytes) {
        long promised = taken.values().stream().mapToLong(Long::longValue).sum();
        if (directory.isEmpty() || promised + bytes > free.getAsLong() / 2) {
            return Optional.empty();
        }
        try {
            Path made = Files.createDirectory(directory.get().resolve(name));
            taken.put(name, bytes);
            return Optional.of(made);
        } catch (IOException problem) {
            throw StorageFailure.of("A directory for captured memory cannot be made", problem);
        }
    }

    /** Promises more to one that is here, whose room is taken already; false, and all is as it was, if there is not so much. Fine if it is not here. */
    synchronized boolean grow(String name, long bytes) {
        long before = taken.getOrDefault(name, Long.MAX_VALUE);
        if (bytes <= before) {
            return true;
        }
        long promised = taken.values().stream().mapToLong(Long::longValue).sum();
        if (promised - before + (bytes - before) > free.getAsLong() / 2) {
            return false;
        }
        taken.put(name, bytes);
        return true;
    }

    synchronized Optional<Path> find(String name) {
        return taken.containsKey(name) ? directory.map(all -> all.resolve(name)) : Optional.empty();
    }

    synchronized Set<String> names() {
        return new HashSet<>(taken.keySet());
    }

    /** Fine if it is not here. */
    synchronized void remove(String name) throws IOException {
        Optional<Path> gone = find(name);
        if (gone.isPresent()) {
            clear(gone.get());
            taken.remove(name);
        }
    }

    private static void clear(Path image) throws IOException {
        try (Stream<Path> files = Files.list(image)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(image);
    }
}
