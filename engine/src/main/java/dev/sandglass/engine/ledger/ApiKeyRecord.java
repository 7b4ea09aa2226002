package dev.sandglass.engine.ledger;

import java.time.Instant;

/**
 * A key of the API as the ledger has it.
 *
 * @param hash of its text, which is kept nowhere
 * @param hint how its text ends, so that its owner knows it again
 */
public record ApiKeyRecord(String name, String hash, String hint, Instant createdAt) {}
