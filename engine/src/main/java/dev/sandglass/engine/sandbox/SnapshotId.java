package dev.sandglass.engine.sandbox;

import java.util.Optional;
import java.util.regex.Pattern;

/** The id of a snapshot: {@code snap-} and twelve of {@code [a-z0-9]}; safe as a file name by construction. */
public record SnapshotId(String text) implements Comparable<SnapshotId> {
    /** Of the text of every id. */
    public static final int LENGTH = 17;

    private static final String PREFIX = "snap-";
    private static final Pattern PATTERN = Pattern.compile("snap-[a-z0-9]{12}");
    private static final Pattern UNDASHED = Pattern.compile("snap[a-z0-9]{12}");

    public SnapshotId {
        if (!isId(text)) {
            throw new IllegalArgumentException("snapshot id: " + text + " (expected: " + PATTERN + ")");
        }
    }

    public static boolean isId(String text) {
        return PATTERN.matcher(text).matches();
    }

    /** The one without its dash, as some clients need it; nothing if the text is not of that form. */
    public static Optional<SnapshotId> undashed(String text) {
        return UNDASHED.matcher(text).matches() ? Optional.of(new SnapshotId(PREFIX + text.substring(PREFIX.length() - 1))) : Optional.empty();
    }

    /** Without its dash. */
    public String undashed() {
        return text.replace("-", "");
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
