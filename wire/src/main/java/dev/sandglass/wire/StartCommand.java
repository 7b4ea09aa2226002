package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request to start a command. */
@Json(naming = Json.Naming.LowerUnderscore)
public record StartCommand(List<String> argv, @Nullable Map<String, String> env, @Nullable String cwd, @Nullable String user, @Nullable WindowSize pty, @Nullable Boolean stdin, @Nullable Boolean hold, @Nullable Long timeoutMs) {}
