package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** How much of a model's service each sandbox may use with a credential; what is absent has no bound. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CredentialBudget(@Nullable Long requests, @Nullable Long tokens) {}
