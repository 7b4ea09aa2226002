package dev.sandglass.engine.ledger;

import dev.sandglass.wire.Sha256;

/**
 * What a client calls a request by, so that it is done once however often it is sent.
 *
 * @param digest of the request: the same key with another one is a mistake of the client
 */
public record IdempotencyKey(String text, String digest) {
    public static IdempotencyKey of(String text, String request) {
        return new IdempotencyKey(text, Sha256.of(request));
    }
}
