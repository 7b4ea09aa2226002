package dev.sandglass.wire.oci;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** For which machines an image is. */
@Json
public record Platform(@Nullable String architecture, @Nullable String os, @Nullable String variant) {}
