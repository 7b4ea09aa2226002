package dev.sandglass.engine.sandbox;

import java.util.Optional;
import java.util.regex.Pattern;

/** The id of a sandbox: {@code sbx-} and twelve of {@code [a-z0-9]}; safe as a file name by construction. */
public record SandboxId(String text) implements Comparable<SandboxId> {
    private static final String PREFIX = "sbx-";
    private static final Pattern PATTERN = Pattern.compile("sbx-[a-z0-9]{12}");
    private static final Pattern UNDASHED = Pattern.compile("sbx[a-z0-9]{12}");

    public SandboxId {
        if (!isId(text)) {
            throw new IllegalArgumentException("sandbox id: " + text + " (expected: " + PATTERN + ")");
        }
    }

    public static boolean isId(String text) {
        return PATTERN.matcher(text).matches();
    }

    /** The one that stands in a host name, where it has no dash; nothing if the text is not of that form. */
    public static Optional<SandboxId> undashed(String text) {
        return UNDASHED.matcher(text).matches() ? Optional.of(new SandboxId(PREFIX + text.substring(PREFIX.length() - 1))) : Optional.empty();
    }

    /** As it stands in a host name: without its dash. */
    public String undashed() {
        return text.replace("-", "");
    }

    public static SandboxId random() {
        return new SandboxId(RandomId.with(PREFIX));
    }

    @Override
    public int compareTo(SandboxId other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
