package dev.sandglass.engine.ledger;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * A template as the ledger has it.
 *
 * @param origin {@code builtin}, {@code user}, {@code sandbox} or {@code config}
 * @param recipe all of it, as JSON
 * @param current the version for which its name stands, once it was built
 */
public record TemplateRecord(String name, String origin, String recipe, OptionalLong current, Instant createdAt, Instant updatedAt) {}
