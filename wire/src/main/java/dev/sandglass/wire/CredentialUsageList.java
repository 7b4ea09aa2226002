package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** What sandboxes have used of models, by sandbox and credential. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CredentialUsageList(List<CredentialUsage> usage) {}
