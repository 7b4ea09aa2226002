package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** A step of a piece of work, and how long it took so far. */
@Json(naming = Json.Naming.LowerUnderscore)
public record TraceStep(String name, double ms) {}
