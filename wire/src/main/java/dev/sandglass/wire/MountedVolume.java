package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** A volume that a sandbox has, or had when a snapshot was taken of it. */
@Json(naming = Json.Naming.LowerUnderscore)
public record MountedVolume(String id, String name, String path, String mode) {}
