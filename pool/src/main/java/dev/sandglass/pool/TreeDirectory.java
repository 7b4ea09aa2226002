package dev.sandglass.pool;

import dev.sandglass.engine.pool.TreeName;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The directory of a pool: trees under their own names, what is half-made or half-removed under hidden ones. */
final class TreeDirectory {
    private static final Pattern HIDDEN = Pattern.compile("\\.(?:new|trash)-(.+)");

    private TreeDirectory() {}

    static Path making(Path directory, String tree) {
        return directory.resolve(".new-" + TreeName.check(tree));
    }

    static Path trash(Path directory, String tree) {
        return directory.resolve(".trash-" + TreeName.check(tree));
    }

    static Set<String> trees(Path directory) {
        Set<String> names = new TreeSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                    String name = String.valueOf(entry.getFileName());
                    Matcher hidden = HIDDEN.matcher(name);
                    String tree = hidden.matches() ? hidden.group(1) : name;
                    if (isTree(tree)) {
                        names.add(tree);
                    }
                }
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The trees of the pool could not be listed", problem);
        }
        return names;
    }

    /** Removes whatever is at the path, if anything is: a directory with all in it, a link itself. */
    static void remove(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            Trees.remove(path);
        } else {
            Files.deleteIfExists(path);
        }
    }

    private static boolean isTree(String name) {
        try {
            TreeName.check(name);
            return true;
        } catch (IllegalArgumentException somethingElse) {
            return false;
        }
    }
}
