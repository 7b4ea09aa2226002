package dev.sandglass.client;

import dev.sandglass.wire.Command;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command that runs, or has ended and is still known.
 *
 * @param state {@code running} or {@code exited}
 * @param pid as seen inside the sandbox
 * @param exitCode if it has ended
 */
public record CommandInfo(String commandId, List<String> argv, @Nullable String cwd, @Nullable String user, boolean pty, String state, long pid, Instant startedAt, @Nullable Integer exitCode) {
    static CommandInfo of(Command command) {
        Integer code = command.exit() == null ? null : CommandResult.code(command.exit());
        return new CommandInfo(command.id(), command.argv(), command.cwd(), command.user(), command.pty(), command.state(), command.pid(), command.startedAt(), code);
    }
}
