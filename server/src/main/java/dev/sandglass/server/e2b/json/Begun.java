package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;

/** A template, and the build of it that is to be. */
@Json
public record Begun(
        String templateID,
        String buildID,
        @Json.Property("public") boolean isPublic,
        List<String> names,
        List<String> tags,
        List<String> aliases) {}
