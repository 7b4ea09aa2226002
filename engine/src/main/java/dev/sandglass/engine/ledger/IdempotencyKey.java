package dev.sandglass.engine.ledger;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What a client calls a request by, so that it is done once however often it is sent.
 *
 * @param digest of the request: the same key with another one is a mistake of the client
 */
public record IdempotencyKey(String text, String digest) {
    public static IdempotencyKey of(String text, String request) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(request.getBytes(StandardCharsets.UTF_8));
            return new IdempotencyKey(text, HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
