package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** Builds, newest first. */
@Json(naming = Json.Naming.LowerUnderscore)
public record BuildList(List<Build> builds) {}
