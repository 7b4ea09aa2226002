package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * What an attached client is told besides bytes.
 *
 * @param error beside an exit: why the sandbox of a run is still there
 * @param dropped how many bytes of output are missing between what came and what comes
 * @param started what a run began with
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record AttachEvent(@Nullable Exit exit, @Nullable Problem error, @Nullable Long dropped, @Nullable RunStarted started) {
    public static AttachEvent of(Problem error) {
        return new AttachEvent(null, error, null, null);
    }
}
