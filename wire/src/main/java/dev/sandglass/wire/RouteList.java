package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** Routes, by sandbox and name. */
@Json(naming = Json.Naming.LowerUnderscore)
public record RouteList(List<Route> routes) {}
