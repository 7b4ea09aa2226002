package dev.sandglass.client;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How a command is run; what is not said has its default. */
public final class RunOptions {
    final Map<String, String> envs = new HashMap<>();
    @Nullable String cwd;
    @Nullable String user;
    @Nullable Duration timeout;
    @Nullable InputStream input;
    boolean stdin;
    boolean check;
    @Nullable Consumer<String> onStdout;
    @Nullable Consumer<String> onStderr;

    RunOptions() {}

    /** An environment variable beside those of the sandbox. */
    public RunOptions env(String name, String value) {
        envs.put(name, value);
        return this;
    }

    public RunOptions envs(Map<String, String> all) {
        envs.putAll(all);
        return this;
    }

    /** Where it runs; the user's home if not said. */
    public RunOptions cwd(String directory) {
        cwd = directory;
        return this;
    }

    /** Name, uid, name:group or uid:gid. */
    public RunOptions user(String name) {
        user = name;
        return this;
    }

    /** Kills it after that time. */
    public RunOptions timeout(Duration time) {
        timeout = time;
        return this;
    }

    /** Keeps its standard input open, so that it can be written to. */
    public RunOptions stdin() {
        stdin = true;
        return this;
    }

    /** What it reads. */
    public RunOptions stdin(InputStream data) {
        input = data;
        return stdin();
    }

    public RunOptions stdin(String text) {
        return stdin(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Throws a {@link CommandFailedException} if it does not end with 0. */
    public RunOptions check() {
        check = true;
        return this;
    }

    /** Gets what it prints, while it does. */
    public RunOptions onStdout(Consumer<String> listener) {
        onStdout = listener;
        return this;
    }

    public RunOptions onStderr(Consumer<String> listener) {
        onStderr = listener;
        return this;
    }

    boolean isFollowed() {
        return onStdout != null || onStderr != null;
    }

    @Nullable Long timeoutMillis() {
        return timeout == null ? null : Math.max(1, timeout.toMillis());
    }
}
