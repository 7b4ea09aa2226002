package dev.sandglass.engine.sandbox;

import java.util.regex.Pattern;

/** The id of a sandbox: {@code sbx-} and twelve of {@code [a-z0-9]}; safe as a file name by construction. */
public record SandboxId(String text) implements Comparable<SandboxId> {
    private static final Pattern PATTERN = Pattern.compile("sbx-[a-z0-9]{12}");

    public SandboxId {
        if (!isId(text)) {
            throw new IllegalArgumentException("sandbox id: " + text + " (expected: " + PATTERN + ")");
        }
    }

    public static boolean isId(String text) {
        return PATTERN.matcher(text).matches();
    }

    public static SandboxId random() {
        return new SandboxId(RandomId.with("sbx-"));
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
