package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request to run a command to its end. */
@Json(naming = Json.Naming.LowerUnderscore)
public record RunCommand(List<String> argv, @Nullable Map<String, String> env, @Nullable String cwd, @Nullable String user, @Nullable String stdin, @Nullable Long timeoutMs, @Nullable Integer outputLimit) {}
