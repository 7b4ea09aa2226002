package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A volume that a sandbox is to have.
 *
 * @param volume its name or id
 * @param path where it is mounted
 * @param mode {@code rw} (alone), {@code shared} or {@code ro}; null is {@code rw}, and {@code ro} for a snapshot of a volume
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record VolumeMount(String volume, String path, @Nullable String mode) {}
