package dev.sandglass.engine.oci;

import dev.sandglass.wire.Sha256;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The SHA-256 digest that names a blob; others are not taken. */
public record Digest(String hex) {
    private static final Pattern TEXT = Pattern.compile("sha256:[0-9a-f]{64}");
    private static final String PREFIX = "sha256:";

    /** {@code image_refused} if that is no such digest. */
    public static Digest of(@Nullable String text) {
        if (text == null || !isDigest(text)) {
            throw Refusal.of("a digest is " + Refusal.shown(text) + " (expected: sha256 and 64 hexadecimal digits)");
        }
        return new Digest(text.substring(PREFIX.length()));
    }

    public static Digest of(byte[] bytes) {
        return new Digest(Sha256.of(bytes));
    }

    static boolean isDigest(String text) {
        return TEXT.matcher(text).matches();
    }

    public String text() {
        return PREFIX + hex;
    }

    @Override
    public String toString() {
        return text();
    }
}
