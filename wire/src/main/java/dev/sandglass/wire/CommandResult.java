package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** The output and end of a command. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CommandResult(Exit exit, String stdout, String stderr, boolean stdoutTruncated, boolean stderrTruncated) {}
