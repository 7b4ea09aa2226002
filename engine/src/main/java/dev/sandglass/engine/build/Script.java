package dev.sandglass.engine.build;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A command that is run as a step.
 *
 * @param step under whose name its output is told
 * @param limit how long it may take
 */
public record Script(String step, List<String> argv, Map<String, String> env, Optional<String> user, Optional<String> workdir, Duration limit) {
    /** Lines of bash run by root, whoever else runs commands there. */
    public static Script ofRoot(String step, String text, Map<String, String> env, Duration limit) {
        return new Script(step, List.of("bash", "-e", "-o", "pipefail", "-c", text), env, Optional.of("root"), Optional.empty(), limit);
    }
}
