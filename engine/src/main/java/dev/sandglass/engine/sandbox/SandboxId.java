package dev.sandglass.engine.sandbox;

import java.security.SecureRandom;
import java.util.regex.Pattern;

/** The id of a sandbox: {@code sbx-} and twelve of {@code [a-z0-9]}; safe as a file name by construction. */
public record SandboxId(String text) implements Comparable<SandboxId> {
    private static final Pattern PATTERN = Pattern.compile("sbx-[a-z0-9]{12}");
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final SecureRandom RANDOM = new SecureRandom();

    public SandboxId {
        if (!isId(text)) {
            throw new IllegalArgumentException("sandbox id: " + text + " (expected: " + PATTERN + ")");
        }
    }

    public static boolean isId(String text) {
        return PATTERN.matcher(text).matches();
    }

    public static SandboxId random() {
        StringBuilder text = new StringBuilder("sbx-");
        for (int i = 0; i < 12; i++) {
            text.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
        }
        return new SandboxId(text.toString());
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
