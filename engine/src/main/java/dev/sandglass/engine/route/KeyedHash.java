package dev.sandglass.engine.route;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Hashes that nobody makes, or checks a guess with, who has not the key: HMAC with SHA-256. A secret that a person chose is as safe in the ledger as one that
 * was drawn, as long as the key is not beside it, and a check costs little enough for every request. Immutable.
 */
final class KeyedHash {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int RANDOM_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

    private final SecretKeySpec key;

    KeyedHash(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** The hash of words that hold no zero: no others have the same. */
    String of(String... words) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return TEXT.encodeToString(mac.doFinal(String.join("\0", words).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** In a time that tells nothing of where the difference is. */
    static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    /** A word of 256 bits that nobody can guess. */
    static String random() {
        byte[] bytes = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(bytes);
        return TEXT.encodeToString(bytes);
    }
}
