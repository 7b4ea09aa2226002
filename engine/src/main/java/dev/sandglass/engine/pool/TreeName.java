package dev.sandglass.engine.pool;

import java.util.regex.Pattern;

/** The rule for names of trees: safe as a file name, no hidden ones. */
public final class TreeName {
    private static final Pattern PATTERN = Pattern.compile("[a-z0-9][a-z0-9_-]{0,79}");

    private TreeName() {}

    public static String check(String tree) {
        if (!PATTERN.matcher(tree).matches()) {
            throw new IllegalArgumentException("tree name: " + tree + " (expected: " + PATTERN + ")");
        }
        return tree;
    }
}
