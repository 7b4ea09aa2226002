package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.wire.Command;
import java.util.List;
import java.util.regex.Pattern;

/** How a command of a sandbox is named: {@code cmd-7}, or just {@code 7}. */
final class Handle {
    private static final String PREFIX = "cmd-";
    private static final Pattern HANDLE = Pattern.compile("cmd-[0-9]{1,9}");

    private Handle() {}

    static String of(String text) {
        String handle = text.startsWith(PREFIX) ? text : PREFIX + text;
        if (!HANDLE.matcher(handle).matches()) {
            throw new UsageException("command: " + text + " (expected: a handle such as cmd-7; `sandglass ps` lists them)");
        }
        return handle;
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
