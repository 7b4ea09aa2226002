package dev.sandglass.client;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How copies race. */
public final class RaceOptions {
    final Map<String, String> envs = new HashMap<>();
    int count = 2;
    @Nullable String name;
    @Nullable String score;
    @Nullable Duration timeout;

    RaceOptions() {}

    /** How many try; 2 if not said. */
    public RaceOptions count(int copies) {
        count = copies;
        return this;
    }

    /** Their name, with -1, -2 and so on. */
    public RaceOptions name(String text) {
        name = text;
        return this;
    }

    /** A line of shell that prints a number in each copy that succeeded: the highest wins. Without it the first success does. */
    public RaceOptions score(String line) {
        score = line;
        return this;
    }

    /** Kills the command after that time. */
    public RaceOptions timeout(Duration time) {
        timeout = time;
        return this;
    }

    public RaceOptions env(String key, String value) {
        envs.put(key, value);
        return this;
    }

    void settle(RunOptions run, int branch) {
        run.envs(envs).env("SANDGLASS_BRANCH", Integer.toString(branch));
        if (timeout != null) {
            run.timeout(timeout);
        }
    }
}
