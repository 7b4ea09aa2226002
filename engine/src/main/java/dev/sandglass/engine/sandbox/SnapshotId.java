package dev.sandglass.engine.sandbox;

import java.util.regex.Pattern;

/** The id of a snapshot: {@code snap-} and twelve of {@code [a-z0-9]}; safe as a file name by construction. */
public record SnapshotId(String text) implements Comparable<SnapshotId> {
    /** Of the text of every id. */
    public static final int LENGTH = 17;

    private static final String PREFIX = "snap-";
    private static final Pattern PATTERN = Pattern.compile("snap-[a-z0-9]{12}");

    public SnapshotId {
        if (!isId(text)) {
            throw new IllegalArgumentException("snapshot id: " + text + " (expected: " + PATTERN + ")");
        }
    }

    public static boolean isId(String text) {
        return PATTERN.matcher(text).matches();
    }

    public static SnapshotId random() {
        return new SnapshotId(RandomId.with(PREFIX));
    }

    @Override
    public int compareTo(SnapshotId other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
