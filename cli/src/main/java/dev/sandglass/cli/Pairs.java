package dev.sandglass.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Options of the form NAME=VALUE. */
final class Pairs {
    private Pairs() {}

    /** The pairs, null if there are none; a bare NAME takes its value from the fallback, as in {@code --env PATH}. */
    static @Nullable Map<String, String> parse(String option, List<String> pairs, Map<String, String> fallback) {
        if (pairs.isEmpty()) {
            return null;
        }
        Map<String, String> parsed = new LinkedHashMap<>();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? fallback.get(name) : pair.substring(equals + 1);
            if (name.isEmpty() || value == null) {
                throw new UsageException(option + ": " + pair + " (expected: NAME=VALUE)");
            }
            parsed.put(name, value);
        }
        return parsed;
    }
}
