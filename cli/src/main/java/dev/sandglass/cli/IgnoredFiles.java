package dev.sandglass.cli;

import dev.sandglass.wire.document.Place;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/** What {@code .dockerignore} leaves out: the last of its patterns that matches a file, or a directory above it, decides. */
final class IgnoredFiles {
    private static final String FILE = ".dockerignore";

    private record Rule(boolean leavesOut, List<PathMatcher> patterns) {
        boolean matches(Path path) {
            for (Path each = path; each != null; each = each.getParent()) {
                Path one = each;
                if (patterns.stream().anyMatch(pattern -> pattern.matches(one))) {
                    return true;
                }
            }
            return false;
        }
    }

    private final List<Rule> rules;

    private IgnoredFiles(List<Rule> rules) {
        this.rules = rules;
    }

    static IgnoredFiles of(Path directory, Place named) throws IOException {
        List<Rule> rules = new ArrayList<>();
        if (Files.isRegularFile(directory.resolve(FILE))) {
            String lines = new String(Neighbour.of(directory, FILE, named).bytes(RecipeFile.MOST_FILE_BYTES), StandardCharsets.UTF_8);
            for (String line : lines.lines().toList()) {
                String text = line.strip();
                boolean back = text.startsWith("!");
                String pattern = (back ? text.substring(1) : text).strip().replaceFirst("^(\\./|/)+", "").replaceFirst("/+$", "");
                if (!pattern.isEmpty() && !text.startsWith("#")) {
                    rules.add(new Rule(!back, matchers(pattern)));
                }
            }
        }
        return new IgnoredFiles(rules);
    }

    /** A {@code **} at the beginning or in the middle stands for no directory, too. */
    private static List<PathMatcher> matchers(String pattern) throws IOException {
        List<String> all = new ArrayList<>(List.of(pattern));
        if (pattern.contains("**/")) {
            all.add(pattern.replace("**/", ""));
        }
        try {
            return all.stream().map(text -> FileSystems.getDefault().getPathMatcher("glob:" + text.replaceAll("[{}]", "\\\\$0"))).toList();
        } catch (PatternSyntaxException none) {
            throw new IOException(FILE + ": " + pattern + " is no pattern", none);
        }
    }

    boolean leavesOut(Path path) {
        boolean out = false;
        for (Rule rule : rules) {
            if (rule.matches(path)) {
                out = rule.leavesOut();
            }
        }
        return out;
    }

    /** Whether nothing below a directory can come back. */
    boolean leavesOutAll(Path directory) {
        return leavesOut(directory) && rules.stream().allMatch(Rule::leavesOut);
    }
}
