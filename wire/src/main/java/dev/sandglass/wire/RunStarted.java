package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** The sandbox that was made for a run, and the command that runs in it. */
@Json(naming = Json.Naming.LowerUnderscore)
public record RunStarted(Sandbox sandbox, Command command) {}
