package dev.sandglass.wire.dockerfile;

import dev.sandglass.wire.document.Place;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What is to be copied of the files beside a Dockerfile: a file, a directory, or a pattern of such with {@code *}, {@code ?} and {@code [a-z]}.
 *
 * @param path as it was written
 * @param place where it stands
 */
public record Source(String path, Place place) {
    /** All there is. */
    static final String EVERYTHING = ".";

    /**
     * A file that is meant.
     *
     * @param name where it goes below the target
     * @param directly whether it is named itself, and not a directory above it
     */
    public record Match(String name, boolean directly) {}

    private static List<String> parts(String path) {
        return Arrays.stream(path.split("/")).filter(part -> !part.isEmpty() && !part.equals(".")).toList();
    }

    /** Whether it may be more than one file, whatever there is. */
    public boolean isPattern() {
        return path.matches(".*[*?\\[].*");
    }

    /** Whether it names something beside the Dockerfile or below, and nothing elsewhere. */
    boolean leadsOut() {
        return parts(path).contains("..");
    }

    /** How a file, named relative to where the Dockerfile is, is meant by this; empty if it is not. */
    public Optional<Match> match(String file) {
        List<String> pattern = parts(path);
        List<String> name = parts(file);
        if (name.size() < pattern.size()) {
            return Optional.empty();
        }
        for (int i = 0; i < pattern.size(); i++) {
            if (!Glob.matches(pattern.get(i), name.get(i))) {
                return Optional.empty();
            }
        }
        boolean directly = name.size() == pattern.size();
        return Optional.of(new Match(directly ? name.get(name.size() - 1) : String.join("/", name.subList(pattern.size(), name.size())), directly));
    }
}
