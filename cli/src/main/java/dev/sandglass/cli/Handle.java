package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.wire.Command;
import java.util.List;

/** How a command of a sandbox is named: {@code cmd-7}, or just {@code 7}. */
final class Handle {
    private Handle() {}

    static String of(String text) {
        return !text.isEmpty() && text.length() < 10 && text.chars().allMatch(character -> character >= '0' && character <= '9')
                ? "cmd-" + text
                : text;
    }

    /** The command of that handle, or, where none is named, the only one that runs. */
    static Command find(Client client, String sandbox, String handle) {
        if (!handle.isEmpty()) {
            return client.command(sandbox, of(handle));
        }
        List<Command> running = client.commands(sandbox).commands().stream()
                .filter(command -> command.state().equals("running"))
                .toList();
        if (running.size() == 1) {
            return running.get(0);
        }
        throw new UsageException("In " + sandbox + " run " + running.size() + " commands (expected: which one; see `sandglass ps " + sandbox + "`)");
    }
}
