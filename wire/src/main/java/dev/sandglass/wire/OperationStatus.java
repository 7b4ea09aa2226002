package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Work that goes on without the client that asked for it.
 *
 * @param state running, succeeded or failed
 * @param progress from 0 to 1
 * @param step what is being done
 * @param steps what was done, with the current one last
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record OperationStatus(String id, String kind, String state, double progress, @Nullable String step, Instant startedAt, @Nullable Instant endedAt, List<TraceStep> steps, @Nullable Sandbox sandbox, @Nullable Problem error, @Nullable ImageInfo image) {
    public OperationStatus withSandbox(Sandbox other) {
        return new OperationStatus(id, kind, state, progress, step, startedAt, endedAt, steps, other, error, image);
    }
}
