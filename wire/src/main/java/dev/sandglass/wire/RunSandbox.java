package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** A request to run a command in a sandbox of its own, which stays only if it has a name. */
@Json(naming = Json.Naming.LowerUnderscore)
public record RunSandbox(@Nullable CreateSandbox sandbox, StartCommand command) {}
