package dev.sandglass.server.http;

import dev.sandglass.engine.key.KeyFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/** The bearer token of the API: made at the first start, kept in a file that only its owner can read. */
public final class Token {
    private final String text;

    private Token(String text) {
        this.text = text;
    }

    /** Reads the token of that file, or makes the file with a new one. */
    public static Token at(Path file) {
        return new Token(HexFormat.of().formatHex(new KeyFile(file, "token file", "Remove it, and a new one is made.").readOrCreate()));
    }

    /** The text that clients send. */
    public String text() {
        return text;
    }

    /** Compares in a time that tells nothing of where the difference is. */
    public boolean matches(String candidate) {
        return MessageDigest.isEqual(text.getBytes(StandardCharsets.UTF_8), candidate.getBytes(StandardCharsets.UTF_8));
    }

    /** Never the token itself, so that it cannot slip into a log. */
    @Override
    public String toString() {
        return "Token";
    }
}
