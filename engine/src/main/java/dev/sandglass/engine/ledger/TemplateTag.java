package dev.sandglass.engine.ledger;

import java.time.Instant;

/** A tag of a template, and the version for which it stands. */
public record TemplateTag(String tag, long version, Instant at) {}
