package dev.sandglass.client;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.WindowSize;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A command on a terminal. What is typed goes in by {@link #sendStdin}; the result has what it showed only if nothing takes that. */
public final class PtyHandle extends CommandHandle {
    PtyHandle(Daemon daemon, String sandbox, Command command, @Nullable Consumer<byte[]> onData) {
        super(daemon, sandbox, command);
        if (onData != null) {
            follow(() -> CommandResult.of(new Output(daemon, sandbox, command.id(), (error, bytes) -> onData.accept(bytes)).follow(), "", "", false));
        }
    }

    /** Gives the terminal another size. */
    public void resize(int cols, int rows) {
        daemon.ask(client -> {
            client.running().resize(sandbox, commandId(), new WindowSize(cols, rows));
            return true;
        });
    }
}
