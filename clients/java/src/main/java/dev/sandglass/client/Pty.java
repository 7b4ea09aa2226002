package dev.sandglass.client;

import dev.sandglass.wire.StartCommand;
import dev.sandglass.wire.WindowSize;
import java.util.function.Consumer;

/** Terminals of a sandbox. */
public final class Pty {
    private final Daemon daemon;
    private final String sandbox;

    Pty(Daemon daemon, String sandbox) {
        this.daemon = daemon;
        this.sandbox = sandbox;
    }

    /** Starts a command, by default a login shell, on a terminal of its own. */
    public PtyHandle create(Consumer<PtyOptions> options) {
        PtyOptions how = new PtyOptions();
        options.accept(how);
        Long millis = how.timeout == null ? null : Math.max(1, how.timeout.toMillis());
        StartCommand request = new StartCommand(how.argv, how.envs, how.cwd, how.user, new WindowSize(how.cols, how.rows), null, how.onData != null, millis);
        return new PtyHandle(daemon, sandbox, daemon.ask(client -> client.start(sandbox, request)), how.onData);
    }

    /** One that was made before; what is kept of what it showed comes first. */
    public PtyHandle connect(String commandId, Consumer<byte[]> onData) {
        return new PtyHandle(daemon, sandbox, daemon.ask(client -> client.command(sandbox, commandId)), onData);
    }
}
