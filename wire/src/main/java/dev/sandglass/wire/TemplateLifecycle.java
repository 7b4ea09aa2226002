package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** How long the sandboxes of a template last, unless their creator says otherwise. */
@Json(naming = Json.Naming.LowerUnderscore)
public record TemplateLifecycle(@Nullable Long timeout, @Nullable String onTimeout, @Nullable Long ttl, @Nullable Long hardTtl, @Nullable Boolean autoResume, @Nullable Long checkpointEvery, @Nullable Integer keepCheckpoints, @Nullable String restart) {}
