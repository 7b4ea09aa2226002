package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.time.Instant;

/** A tag of a template, and the build for which it stands. */
@Json
public record Tag(String tag, String buildID, Instant createdAt) {}
