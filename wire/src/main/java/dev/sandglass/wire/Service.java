package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command that is supervised in a sandbox.
 *
 * @param state {@code inactive}, {@code starting}, {@code running}, {@code exited}, {@code stopping}, {@code waiting} or {@code failed}
 * @param pid as seen inside
 * @param restarts how often it was started again by itself
 * @param lastExit as a shell has it
 * @param reason of its last failure
 * @param health what its check says, or that nothing is known yet; absent where nothing is checked
 * @param unit the path of its file inside
 * @param unsupported what is in the file and has no effect
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Service(
        String name,
        @Nullable String description,
        String state,
        @Nullable Long pid,
        @Nullable Instant since,
        long restarts,
        @Nullable Integer lastExit,
        @Nullable String reason,
        boolean enabled,
        @Nullable Integer port,
        @Nullable String health,
        @Nullable String command,
        @Nullable String user,
        @Nullable String cwd,
        String restart,
        @Nullable String unit,
        List<String> unsupported) {}
