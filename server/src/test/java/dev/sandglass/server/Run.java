package dev.sandglass.server;

import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.StartCommand;
import dev.sandglass.wire.WindowSize;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A command to be run to its end or started, with what a test cares about. */
final class Run {
    private final List<String> argv;
    private final Map<String, String> env = new HashMap<>();
    private @Nullable String cwd;
    private @Nullable String user;
    private @Nullable String stdin;
    private @Nullable WindowSize pty;
    private @Nullable Long timeoutMs;
    private @Nullable Integer outputLimit;
    private boolean hasInput;
    private boolean holds;

    private Run(List<String> argv) {
        this.argv = argv;
    }

    static Run of(String... argv) {
        return new Run(List.of(argv));
    }

    static Run shell(String script) {
        return of("sh", "-c", script);
    }

    static Run python(String script) {
        return of("python3", "-c", script);
    }

    Run env(String name, String value) {
        env.put(name, value);
        return this;
    }

    Run in(String directory) {
        cwd = directory;
        return this;
    }

    Run as(String name) {
        user = name;
        return this;
    }

    /** Text for its standard input when it is run to its end. */
    Run stdin(String text) {
        stdin = text;
        return this;
    }

    /** It gets a standard input when it is started. */
    Run withInput() {
        hasInput = true;
        return this;
    }

    Run hold() {
        holds = true;
        return this;
    }

    Run pty(int cols, int rows) {
        pty = new WindowSize(cols, rows);
        return this;
    }

    Run timeout(long millis) {
        timeoutMs = millis;
        return this;
    }

    Run outputLimit(int bytes) {
        outputLimit = bytes;
        return this;
    }

    RunCommand toRun() {
        return new RunCommand(argv, env, cwd, user, stdin, timeoutMs, outputLimit);
    }

    StartCommand toStart() {
        return new StartCommand(argv, env, cwd, user, pty, hasInput, holds, timeoutMs);
    }
}
