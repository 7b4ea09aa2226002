package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import java.time.Instant;

/**
 * A route as the ledger has it.
 *
 * @param description what was asked for, as JSON, without a secret
 * @param secret a keyed hash of it; empty for a public route
 * @param generation a word that is made anew to make its links worthless
 */
public record RouteRecord(SandboxId sandbox, String name, String description, String secret, String generation, Instant createdAt) {
    public RouteRecord generation(String next) {
        return new RouteRecord(sandbox, name, description, secret, next, createdAt);
    }
}
