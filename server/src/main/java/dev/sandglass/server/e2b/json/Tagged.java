package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;

/** The build that has got tags. */
@Json
public record Tagged(String buildID, List<String> tags) {}
