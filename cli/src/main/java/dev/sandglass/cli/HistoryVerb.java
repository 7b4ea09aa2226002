package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.History;
import dev.sandglass.wire.HistoryStep;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;

/** {@code history}: how a sandbox came to be what it is. */
final class HistoryVerb extends Verb {
    private final Syntax.Value named = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");

    HistoryVerb() {
        super(new Syntax("history", "Show the line from the image through snapshots to a sandbox as it is now, oldest first."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            History history = client.history(named.orEmpty());
            console.print(format.structured() ? Document.of(history, format, console) : table(history).text(console.styled()));
            return OK;
        }
    }

    private static Table table(History history) {
        Table table = new Table("AGE", "SANDBOX", "WHAT", "SNAPSHOT", "ID", "SIZE");
        Sandbox sandbox = history.sandbox();
        long now = System.currentTimeMillis() / 1000;
        for (HistoryStep step : history.steps()) {
            Snapshot snapshot = step.snapshot();
            String age = step.at() == null ? "" : Age.shown(now - step.at().getEpochSecond());
            if (snapshot == null) {
                table.row(age, step.sandboxName(), "began with image " + sandbox.image(), "", "", "");
            } else {
                boolean taken = step.what().equals("taken");
                table.row(
                        age,
                        step.sandboxName(),
                        step.sandboxId() == null ? "is of a tar archive, as" : taken ? "was captured as" : "went on from",
                        TreeDrawing.title(snapshot),
                        snapshot.id(),
                        taken ? Bytes.shown(snapshot.ownBytes() + snapshot.memoryBytes()) : "");
            }
        }
        table.row("now", sandbox.name(), "is " + sandbox.state(), "", "", "");
        return table;
    }
}
