package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;

/** What a name stands for. */
@Json
public record Alias(String templateID, @Json.Property("public") boolean isPublic) {}
