package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How far a build is. */
@Json
public record BuildState(String templateID, String buildID, String status, List<LogEntry> logEntries, List<String> logs, @Nullable Reason reason) {
    /**
     * Why it failed.
     *
     * @param step the number of a step, {@code base} or {@code finalize}
     */
    @Json
    public record Reason(String message, String step, List<LogEntry> logEntries) {}
}
