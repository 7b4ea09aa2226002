package dev.sandglass.server;

import dev.sandglass.wire.Json;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/** Bodies of requests. */
final class Bodies {
    private Bodies() {}

    static BodyPublisher json(Object value) {
        return BodyPublishers.ofByteArray(Json.bytes(value));
    }

    /** Bytes that are the same for the same seed. */
    static byte[] random(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    static String sha256(byte[] bytes) {
        return HexFormat.of().formatHex(digest().digest(bytes));
    }

    /** The hash of a stream that may be larger than memory. */
    static String sha256(InputStream bytes) throws java.io.IOException {
        MessageDigest digest = digest();
        byte[] piece = new byte[1 << 16];
        try (bytes) {
            for (int read = bytes.read(piece); read >= 0; read = bytes.read(piece)) {
                digest.update(piece, 0, read);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
