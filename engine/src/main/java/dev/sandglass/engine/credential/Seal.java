package dev.sandglass.engine.credential;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals values with a key, each together with the description of its credential: a value that is put beside another description, or beside the same that says another host, does not open.
 * AES-256-GCM, with a nonce of its own for each time: so few are ever made that random ones do not meet. Immutable.
 */
final class Seal {
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final SecretKeySpec key;
    private final SecureRandom random = new SecureRandom();

    Seal(byte[] key) {
        this.key = new SecretKeySpec(key, "AES");
    }

    String close(Secret secret, String description) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce, description).doFinal(secret.bytes());
            byte[] whole = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
            System.arraycopy(sealed, 0, whole, NONCE_BYTES, sealed.length);
            return Base64.getEncoder().encodeToString(whole);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("Every JDK has " + CIPHER + ".", impossible);
        }
    }

    /** Empty if it was sealed with another key or another description, or was changed. */
    Optional<Secret> open(String sealed, String description) {
        try {
            byte[] whole = Base64.getDecoder().decode(sealed);
            if (whole.length < NONCE_BYTES) {
                return Optional.empty();
            }
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(whole, NONCE_BYTES), description);
            return Optional.of(new Secret(cipher.doFinal(whole, NONCE_BYTES, whole.length - NONCE_BYTES)));
        } catch (AEADBadTagException | IllegalArgumentException changed) {
            return Optional.empty();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("Every JDK has " + CIPHER + ".", impossible);
        }
    }

    private Cipher cipher(int mode, byte[] nonce, String description) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(description.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
