package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import java.util.List;
import java.util.Optional;

/**
 * What exists and what happened. A call that returns is durable; a call that throws {@code ledger_failed} may or may not
 * have happened. Thread-safe.
 */
public interface Ledger extends AutoCloseable {
    /** Adds a sandbox; {@code name_taken} if another that is not destroyed has its name. */
    void insert(SandboxRecord sandbox);

    /** Replaces the record whose version is one less; anything else is {@code internal}. */
    void update(SandboxRecord next);

    Optional<SandboxRecord> find(SandboxId id);

    /** By name, id or unique prefix of an id, among those that are not destroyed; {@code sandbox_not_found}, {@code ambiguous_prefix}. */
    SandboxRecord resolve(String nameOrId);

    /** All that are not destroyed, oldest first. */
    List<SandboxRecord> sandboxes();

    @Override
    void close();
}
