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

    LsVerb() {
        super(new Syntax("ls", "List the sandboxes, oldest first."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<Sandbox> sandboxes = client.list().sandboxes();
            if (quiet.isSet()) {
                StringBuilder ids = new StringBuilder();
                sandboxes.forEach(sandbox -> ids.append(sandbox.id()).append('\n'));
                console.print(ids.toString());
            } else if (format == Format.JSON) {
                console.print(JsonText.ofList(sandboxes, console));
            } else {
                console.print(table(sandboxes, console.styled()));
            }
            return OK;
        }
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
