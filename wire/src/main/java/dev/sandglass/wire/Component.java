package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A named install step with a step that verifies it; both are scripts of bash, run as root.
 *
 * @param timeout seconds that each of them may take
 * @param domains that they reach: names, and {@code @apt}, {@code @npm}, {@code @pip}, {@code @maven}
 * @param variables of both scripts, such as versions, with the values that hold where nobody says another
 * @param requires those that are installed before it
 * @param origin where it is from: {@code builtin}, {@code directory} or {@code file}
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Component(
        String name,
        @Nullable String description,
        String install,
        @Nullable String verify,
        @Nullable Long timeout,
        @Nullable ComponentMemory memory,
        @Nullable List<String> domains,
        @Nullable List<String> tags,
        @Nullable Map<String, String> variables,
        @Nullable List<String> requires,
        @Nullable String origin) {}
