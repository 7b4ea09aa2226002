package dev.sandglass.engine.sandbox;

import java.util.Optional;
import java.util.regex.Pattern;

/** The id of a volume: {@code vol-} and twelve of {@code [a-z0-9]}; safe as a file name by construction. */
public record VolumeId(String text) implements Comparable<VolumeId> {
    private static final String PREFIX = "vol-";
    private static final Pattern PATTERN = Pattern.compile("vol-[a-z0-9]{12}");
    private static final Pattern UNDASHED = Pattern.compile("vol[a-z0-9]{12}");

    public VolumeId {
        if (!isId(text)) {
            throw new IllegalArgumentException("volume id: " + text + " (expected: " + PATTERN + ")");
        }
    }

    public static boolean isId(String text) {
        return PATTERN.matcher(text).matches();
    }

    /** The one without its dash, as some clients need it; nothing if the text is not of that form. */
    public static Optional<VolumeId> undashed(String text) {
        return UNDASHED.matcher(text).matches() ? Optional.of(new VolumeId(PREFIX + text.substring(PREFIX.length() - 1))) : Optional.empty();
    }

    /** Without its dash. */
    public String undashed() {
        return text.replace("-", "");
    }

    public static VolumeId random() {
        return new VolumeId(RandomId.with(PREFIX));
    }

    /** The tree of the pool that has its content. */
    public String tree() {
        return "volume-" + text;
    }

    @Override
    public int compareTo(VolumeId other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
