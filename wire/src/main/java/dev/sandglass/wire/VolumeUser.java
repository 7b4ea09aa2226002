package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** A sandbox that has a volume. */
@Json(naming = Json.Naming.LowerUnderscore)
public record VolumeUser(String sandboxId, String sandboxName, String path, String mode) {}
