package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** A volume, and what lets in to its files. */
@Json
public record VolumeAccess(String volumeID, String name, String token, @Nullable String domain) {}
