package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Sandbox;
import java.util.List;

/** {@code ls}: the sandboxes of the daemon. */
final class LsVerb extends Verb {
    private final Syntax.Flag quiet = syntax.flag("Print the ids and nothing else.", "-q", "--quiet");
    private final Syntax.Flag all = syntax.flag("Also those that were destroyed, as far as they are remembered.", "-a", "--all");
    private final Filter filter = new Filter(syntax);
    private final Watching watching = new Watching(syntax);

    LsVerb() {
        super(new Syntax("ls", "List the sandboxes, oldest first."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            return watching.show(console, () -> text(console, format, filter.of(client.list(all.isSet()))));
        }
    }

    private String text(Console console, Format format, List<Sandbox> sandboxes) {
        if (quiet.isSet()) {
            StringBuilder ids = new StringBuilder();
            sandboxes.forEach(sandbox -> ids.append(sandbox.id()).append('\n'));
            return ids.toString();
        }
        return format.structured() ? Document.ofList(sandboxes, format, console) : table(sandboxes, console.styled());
    }

    static String table(List<Sandbox> sandboxes, boolean styled) {
        Table table = new Table("NAME", "ID", "STATE", "RUNTIME", "MEMORY", "CPUS", "AGE");
        long now = System.currentTimeMillis() / 1000;
        for (Sandbox sandbox : sandboxes) {
            String reason = sandbox.reason() == null || sandbox.state().equals("running") ? "" : " (" + sandbox.reason() + ")";
            table.row(
                    sandbox.name(),
                    sandbox.id(),
                    sandbox.state() + reason,
                    sandbox.runtime(),
                    Bytes.shown(sandbox.memoryMb() << 20),
                    number(sandbox.cpus()),
                    Age.shown(now - sandbox.createdAt().getEpochSecond()));
        }
        return table.text(styled);
    }

    /** Without the ".0" of a whole number. */
    static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
