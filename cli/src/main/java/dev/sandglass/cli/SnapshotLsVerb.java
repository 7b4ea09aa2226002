package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Snapshot;
import java.util.List;

/** {@code snapshot ls}: the snapshots of the daemon. */
final class SnapshotLsVerb extends Verb {
    private final Syntax.Flag all = syntax.flag("Those too that are kept for sandboxes which are paused or were turned back.", "-a", "--all");
    private final Filter filter = new Filter(syntax);
    private final Syntax.Flag quiet = syntax.flag("Print the ids and nothing else.", "-q", "--quiet");

    SnapshotLsVerb() {
        super(new Syntax("snapshot ls", "List the snapshots, oldest first."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<Snapshot> snapshots = filter.ofSnapshots(() -> client.snapshots(all.isSet()));
            if (quiet.isSet()) {
                snapshots.forEach(snapshot -> console.print(Inert.text(snapshot.id()) + "\n"));
            } else {
                console.print(format.structured() ? Document.ofList(snapshots, format, console) : table(snapshots, all.isSet(), console.styled()));
            }
            return OK;
        }
    }

    private static String table(List<Snapshot> snapshots, boolean purposes, boolean styled) {
        Table table = new Table("NAME", "ID", "STATE", "KIND", "PURPOSE", "OF", "OWN", "TOTAL", "MEMORY", "PARENT", "AGE", "EXPIRES", "LABELS");
        long now = System.currentTimeMillis() / 1000;
        for (Snapshot snapshot : snapshots) {
            table.row(
                    snapshot.name() == null ? "" : snapshot.name(),
                    snapshot.id(),
                    snapshot.state().equals("ready") ? "" : snapshot.state(),
                    snapshot.kind(),
                    purposes ? snapshot.purpose() : "",
                    snapshot.sandboxName(),
                    Bytes.shown(snapshot.ownBytes()),
                    Bytes.shown(snapshot.totalBytes()),
                    snapshot.kind().equals("full") ? Bytes.shown(snapshot.memoryBytes()) : "",
                    snapshot.parent() == null ? "" : snapshot.parent(),
                    Age.shown(now - snapshot.createdAt().getEpochSecond()),
                    expires(snapshot, now),
                    LsVerb.labels(snapshot.labels()));
        }
        return table.withoutEmpty("STATE", "PURPOSE", "EXPIRES", "LABELS").text(styled);
    }

    private static String expires(Snapshot snapshot, long now) {
        return snapshot.expiresAt() == null ? "" : "in " + Age.shown(snapshot.expiresAt().getEpochSecond() - now);
    }

    /** One snapshot for people. */
    static String line(Snapshot snapshot) {
        String title = snapshot.name() == null ? "" : Inert.text(snapshot.name()) + "   ";
        return title + Inert.text(snapshot.id()) + "   " + Inert.text(snapshot.kind()) + ", " + Bytes.shown(snapshot.ownBytes()) + " new, "
                + Inert.text(snapshot.sandboxName()) + " stood still for " + LsVerb.milliseconds(snapshot.pauseMs()) + "\n";
    }
}
