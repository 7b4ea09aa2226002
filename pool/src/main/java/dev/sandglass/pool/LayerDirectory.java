package dev.sandglass.pool;

import dev.sandglass.engine.pool.TreeName;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The names of layers in a pool's directory. They all have a dot, which no tree's name has. */
final class LayerDirectory {
    private static final String WHOLE = "layer.";
    private static final String MAKING = ".layer-new.";
    private static final String TRASH = ".layer-trash.";
    private static final String PASSING = ".layer-passing.";
    /** As often as the blocks of an honest tree are shared, and more. */
    private static final long SHARED = 4;

    private LayerDirectory() {}

    /** @param held whether the pool holds trees to their limit; where not, an honest one has at most all that there is room for */
    static long mostBytes(Path directory, long limit, boolean held) {
        long most = limit > Long.MAX_VALUE / SHARED ? Long.MAX_VALUE : SHARED * limit;
        try {
            return held ? most : Math.max(most, Files.getFileStore(directory).getTotalSpace());
        } catch (IOException problem) {
            throw StorageFailure.of("The size of the pool could not be read", problem);
        }
    }

    static String whole(String layer) {
        return WHOLE + TreeName.check(layer);
    }

    static String making(String layer) {
        return MAKING + TreeName.check(layer);
    }

    static String trash(String layer) {
        return TRASH + TreeName.check(layer);
    }

    /** A copy of a tree that is made for what making it does, and removed at once. */
    static String passing(String tree) {
        return PASSING + TreeName.check(tree);
    }

    /** The directories that are to be merged, in the order of the layers. */
    static List<Path> uppers(Path directory, List<String> layers) {
        if (layers.isEmpty()) {
            throw new IllegalArgumentException("layers: none (expected: >= 1)");
        }
        return layers.stream().map(layer -> directory.resolve(whole(layer)).resolve("upper")).toList();
    }

    static Set<String> layers(Path directory) {
        Set<String> names = new TreeSet<>();
        for (String name : matching(directory, WHOLE + "*")) {
            names.add(name.substring(WHOLE.length()));
        }
        return names;
    }

    /** What a crash may leave. */
    static Set<String> leftovers(Path directory) {
        return matching(directory, ".layer-*");
    }

    private static Set<String> matching(Path directory, String pattern) {
        Set<String> names = new TreeSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, pattern)) {
            for (Path entry : entries) {
                if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                    names.add(String.valueOf(entry.getFileName()));
                }
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The layers of the pool could not be listed", problem);
        }
        return names;
    }
}
