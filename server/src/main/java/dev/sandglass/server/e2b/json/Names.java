package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;

/** The names of a template. */
@Json
public record Names(List<String> names) {}
