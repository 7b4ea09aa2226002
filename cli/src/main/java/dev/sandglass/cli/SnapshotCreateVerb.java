package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotFile;
import java.util.Map;

/** {@code snapshot create}: captures a sandbox as it is now. */
final class SnapshotCreateVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Value name = syntax.value("NAME", "A name of your choice; it has only an id if absent.", "--name");
    private final Syntax.Value description = syntax.value("TEXT", "What it is for.", "--description");
    private final Syntax.Values labels = syntax.values("NAME=VALUE", "A label; may be repeated.", "--label");
    private final Syntax.Value expires = syntax.value("TIME", "Remove it after that many seconds, or 30m, 12h, 7d; it stays if absent.", "--expires");
    private final Syntax.Flag diskOnly = syntax.flag("Leave processes and memory out.", "--disk-only");
    private final Syntax.Flag archive = syntax.flag("Write it as a file too, snapshots/NAME.sgs in the daemon's data directory.", "--archive");
    private final Syntax.Flag quiet = syntax.flag("Print the id and nothing else.", "-q", "--quiet");

    SnapshotCreateVerb() {
        super(new Syntax("snapshot create", "Capture a sandbox: its disk, and on gVisor its processes. One that runs stands still for a moment and goes on."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        CreateSnapshot request = new CreateSnapshot(
                name.orNull(),
                description.orNull(),
                Pairs.parse("label", labels.all(), Map.of()),
                diskOnly.isSet() ? true : null,
                Amount.seconds("expires", expires.orNull()));
        String source = sandbox.orEmpty();
        try (Client client = client(console)) {
            Snapshot taken = waiting(console, "Capturing " + source, () -> client.snapshot(source, request));
            if (!diskOnly.isSet() && isTiedToTheHost(client, taken)) {
                console.warn("warning: it has the disk only: on container, processes of a sandbox with a network are not captured\n");
            }
            SnapshotFile file = archive.isSet() ? archived(console, client, taken) : null;
            if (quiet.isSet()) {
                console.print(Inert.text(taken.id()) + "\n");
            } else if (format.structured()) {
                console.print(file == null ? Document.of(taken, format, console) : Document.text(Document.with("archive", file.path(), taken), format, console));
            } else {
                console.print(SnapshotLsVerb.line(taken) + (file == null ? "" : SnapshotExportVerb.line(file)));
            }
            return OK;
        }
    }

    /** Whether processes were left out because the host's kernel brings back none that have a network. */
    private static boolean isTiedToTheHost(Client client, Snapshot taken) {
        if (!taken.kind().equals("disk") || !taken.runtime().equals("container") || taken.sandboxId() == null) {
            return false;
        }
        Sandbox sandbox = client.inspect(taken.sandboxId());
        return sandbox.state().equals("running") && sandbox.network() != null;
    }

    private static SnapshotFile archived(Console console, Client client, Snapshot taken) {
        try (Client patient = client.patient()) {
            return waiting(console, "Archiving " + taken.id(), () -> patient.archiveSnapshot(taken.id(), false));
        }
    }
}
