package dev.sandglass.server.e2b.sandbox;

import dev.sandglass.engine.key.KeyFile;
import dev.sandglass.engine.sandbox.SandboxId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The tokens that let in to one sandbox. They follow from its id and a key of the daemon, so nothing of them is kept, and a copy
 * has other ones than what it was copied from. Thread-safe.
 */
public final class Access {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int TOKEN_BYTES = 32;

    private final SecretKeySpec key;

    private Access(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** With the key of that file, or a new one that is put there. */
    public static Access of(Path file) {
        return new Access(new KeyFile(file, "key of access tokens", "Remove it, and a new one is made: tokens that clients have are worth nothing then.").readOrCreate());
    }

    /** Lets in to processes and files: {@code X-Access-Token}. */
    public String token(SandboxId sandbox) {
        return derived("inside", sandbox.text());
    }

    /** Lets in to ports that are not public: {@code E2B-Traffic-Access-Token}. */
    public String trafficToken(SandboxId sandbox) {
        return derived("traffic", sandbox.text());
    }

    /** Lets in to send the files that are called so, and to nothing else. */
    public String uploadToken(String name) {
        return derived("upload", name);
    }

    public boolean admitsUpload(String name, String token) {
        return same(uploadToken(name), token);
    }

    /** Lets in to the files of one volume. */
    public String volumeToken(String volume) {
        return derived("volume", volume);
    }

    public boolean admitsVolume(String volume, String token) {
        return same(volumeToken(volume), token);
    }

    public boolean admits(SandboxId sandbox, String token) {
        return same(token(sandbox), token);
    }

    public boolean admitsTraffic(SandboxId sandbox, String token) {
        return same(trafficToken(sandbox), token);
    }

    /** Compares in a time that tells nothing of where the difference is. */
    private static boolean same(String expected, String told) {
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), told.getBytes(StandardCharsets.UTF_8));
    }

    private String derived(String purpose, String what) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            byte[] token = mac.doFinal((purpose + ":" + what).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(token, 0, TOKEN_BYTES);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(ALGORITHM + " is part of every JDK", missing);
        }
    }

    /** Never the key, so that it cannot slip into a log. */
    @Override
    public String toString() {
        return "Access";
    }
}
