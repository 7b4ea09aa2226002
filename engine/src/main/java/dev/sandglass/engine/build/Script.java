package dev.sandglass.engine.build;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A script of bash that is run as a step.
 *
 * @param step under whose name its output is told
 * @param limit how long it may take
 */
public record Script(String step, String text, Map<String, String> env, Optional<String> user, Optional<String> workdir, Duration limit) {
    /** Run by root, where root is at home. */
    public static Script ofRoot(String step, String text, Map<String, String> env, Duration limit) {
        return new Script(step, text, env, Optional.empty(), Optional.empty(), limit);
    }
}
