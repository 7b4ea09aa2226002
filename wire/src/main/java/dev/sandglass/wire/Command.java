package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command that runs or has ended. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Command(String id, List<String> argv, @Nullable String cwd, @Nullable String user, boolean pty, String state, long pid, Instant startedAt, @Nullable Exit exit) {}
