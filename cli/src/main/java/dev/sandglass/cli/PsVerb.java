package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;

/** {@code ps}: the commands of sandboxes. */
final class PsVerb extends Verb {
    private static final int LONGEST_LINE = 100;

    private final Syntax.Values named = syntax.operands(0, 0, "SANDBOX", "Name, id, or the beginning of one; if absent all that run.");
    private final Syntax.Flag all = syntax.flag("Also commands that have ended and are still known.", "-a", "--all");
    private final Syntax.Flag quiet = syntax.flag("Print the handles and nothing else.", "-q", "--quiet");
    private final Watching watching = new Watching(syntax);

    private record Row(String sandbox, Command command) {}

    PsVerb() {
        super(new Syntax("ps", "List the commands that run in sandboxes, oldest first."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            return watching.show(console, () -> text(console, format, rows(client)));
        }
    }

    private List<Row> rows(Client client) {
        List<Row> rows = new ArrayList<>();
        if (!named.all().isEmpty()) {
            for (String sandbox : named.all()) {
                Sandbox found = client.inspect(sandbox);
                add(rows, found.name(), client.commands(found.id()).commands());
            }
            return rows;
        }
        for (Sandbox sandbox : client.list()) {
            if (sandbox.state().equals("running")) {
                try {
                    add(rows, sandbox.name(), client.commands(sandbox.id()).commands());
                } catch (SandglassException problem) {
                    if (problem.code() != ErrorCode.SANDBOX_NOT_FOUND && problem.code() != ErrorCode.SANDBOX_NOT_RUNNING) {
                        throw problem; // the others mean that it went away in between
                    }
                }
            }
        }
        return rows;
    }

    private void add(List<Row> rows, String sandbox, List<Command> commands) {
        for (Command command : commands) {
            if (all.isSet() || command.state().equals("running")) {
                rows.add(new Row(sandbox, command));
            }
        }
    }

    private String text(Console console, Format format, List<Row> rows) {
        if (quiet.isSet()) {
            StringBuilder handles = new StringBuilder();
            rows.forEach(row -> handles.append(row.command().id()).append('\n'));
            return handles.toString();
        }
        if (format.structured()) {
            List<String> values =
                    rows.stream().map(row -> Document.with("sandbox", row.sandbox(), row.command())).toList();
            return Document.text("[" + String.join(",", values) + "]", format, console);
        }
        Table table = new Table("SANDBOX", "HANDLE", "STATE", "PID", "USER", "AGE", "COMMAND");
        long now = System.currentTimeMillis() / 1000;
        for (Row row : rows) {
            Command command = row.command();
            table.row(
                    row.sandbox(),
                    command.id(),
                    state(command),
                    Long.toString(command.pid()),
                    command.user() == null ? "root" : command.user(),
                    Age.shown(now - command.startedAt().getEpochSecond()),
                    shortened(Shell.shown(command.argv())));
        }
        return console.fitting(table.text(console.styled()));
    }

    private static String state(Command command) {
        Exit exit = command.exit();
        if (exit == null) {
            return command.state();
        }
        return exit.reason() == null ? "exited " + exit.code() : "exited " + exit.code() + " (" + exit.reason() + ")";
    }

    private static String shortened(String line) {
        return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE - 3) + "...";
    }
}
