package dev.sandglass.client;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How a terminal is made; what is not said has its default. */
public final class PtyOptions {
    final Map<String, String> envs = new HashMap<>();
    int cols = 80;
    int rows = 24;
    List<String> argv = Words.shell();
    @Nullable String cwd;
    @Nullable String user;
    @Nullable Duration timeout;
    @Nullable Consumer<byte[]> onData;

    PtyOptions() {}

    public PtyOptions size(int columns, int lines) {
        cols = columns;
        rows = lines;
        return this;
    }

    /** What runs on it; a login shell if not said. */
    public PtyOptions command(String line) {
        argv = Words.ofLine(line);
        return this;
    }

    public PtyOptions env(String name, String value) {
        envs.put(name, value);
        return this;
    }

    public PtyOptions cwd(String directory) {
        cwd = directory;
        return this;
    }

    public PtyOptions user(String name) {
        user = name;
        return this;
    }

    /** Kills it after that time. */
    public PtyOptions timeout(Duration time) {
        timeout = time;
        return this;
    }

    /** Gets what the terminal shows. */
    public PtyOptions onData(Consumer<byte[]> listener) {
        onData = listener;
        return this;
    }
}
