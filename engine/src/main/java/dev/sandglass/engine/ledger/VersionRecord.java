package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SnapshotId;
import java.time.Instant;
import java.util.Optional;

/**
 * What a template was built into.
 *
 * @param digest of the recipe of then
 * @param recipe of then, if an earlier version did not forget it
 * @param build the id of the build, if it was one
 */
public record VersionRecord(String template, long version, SnapshotId snapshot, String digest, Optional<String> build, Optional<String> recipe, Instant builtAt) {}
