package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What commands of a sandbox get when nobody says otherwise, as it is kept and sent. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CommandSettings(
        @Nullable String user, @Nullable String workdir, @Nullable Map<String, String> env, @Nullable List<String> entrypoint, @Nullable List<String> cmd) {}
