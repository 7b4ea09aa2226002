package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A request to run a command in a sandbox of its own, which stays only if it has a name.
 *
 * @param entrypoint whether the words of the command, or none, stand where those of the image do that follow its entry point
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record RunSandbox(@Nullable CreateSandbox sandbox, StartCommand command, @Nullable Boolean entrypoint) {
    public RunSandbox(@Nullable CreateSandbox sandbox, StartCommand command) {
        this(sandbox, command, null);
    }
}
