package dev.sandglass.wire;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, which every Java has. Stateless. */
public final class Sha256 {
    private Sha256() {}

    /** A digest to which bytes are given as they come. */
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** The digest of some bytes in lower-case hexadecimal digits. */
    public static String of(byte[] bytes) {
        return HexFormat.of().formatHex(begin().digest(bytes));
    }

    /** The digest of a text in UTF-8. */
    public static String of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** So many digits of the digest of a text: enough to tell a few names apart. */
    public static String of(String text, int digits) {
        return of(text).substring(0, digits);
    }
}
