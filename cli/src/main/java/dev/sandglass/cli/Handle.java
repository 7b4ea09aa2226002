package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Command;
import java.util.List;
import java.util.regex.Pattern;

/** How a command of a sandbox is named: {@code cmd-7}, or just {@code 7}. */
final class Handle {
    private static final String PREFIX = "cmd-";
    private static final int LISTED_AT_MOST = 20;
    private static final int LONGEST_LINE = 60;
    private static final Pattern HANDLE = Pattern.compile("cmd-[0-9]{1,9}");

    private Handle() {}

    static String of(String text) {
        String handle = text.startsWith(PREFIX) ? text : PREFIX + text;
        if (!HANDLE.matcher(handle).matches()) {
            throw new UsageException("command: " + text + " (expected: a handle such as cmd-7; `sandglass ps` lists them)");
        }
        return handle;
    }

    private static String these(List<Command> running) {
        StringBuilder text = new StringBuilder();
        running.stream().limit(LISTED_AT_MOST).forEach(command -> text.append("\n  ").append(command.id()).append("   ").append(shortened(Shell.shown(command.argv()))));
        return text.append(running.size() > LISTED_AT_MOST ? "\n  ..." : "").toString();
    }

    private static String shortened(String line) {
        String safe = Inert.text(line);
        return safe.length() <= LONGEST_LINE ? safe : safe.substring(0, LONGEST_LINE) + "...";
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
        if (running.isEmpty()) {
            throw new UsageException("In " + sandbox + " runs no command (expected: one that runs, or the handle of one that has ended; see `sandglass ps -a " + sandbox + "`)");
        }
        throw new UsageException("In " + sandbox + " run " + running.size() + " commands (expected: the handle of one of them)" + these(running));
    }
}
