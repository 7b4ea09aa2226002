package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Waiting;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.Snapshot;
import java.util.Map;

/** {@code snapshot create}: captures a sandbox as it is now. */
final class SnapshotCreateVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of an id.");
    private final Syntax.Value name = syntax.value("NAME", "A name of your choice; it has only an id if absent.", "--name");
    private final Syntax.Value description = syntax.value("TEXT", "What it is for.", "--description");
    private final Syntax.Values labels = syntax.values("NAME=VALUE", "A label; may be repeated.", "--label");
    private final Syntax.Flag diskOnly = syntax.flag("Leave processes and memory out.", "--disk-only");
    private final Syntax.Flag archive = syntax.flag("Write it as a file too, snapshots/NAME.sgs in the daemon's data directory.", "--archive");
    private final Syntax.Flag quiet = syntax.flag("Print the id and nothing else.", "-q", "--quiet");

    SnapshotCreateVerb() {
        super(new Syntax("snapshot create", "Capture a sandbox: its disk, and on gVisor its processes. One that runs stands still for a moment and goes on."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        CreateSnapshot request = new CreateSnapshot(name.orNull(), description.orNull(), Pairs.parse("label", labels.all(), Map.of()), diskOnly.isSet() ? true : null);
        String source = sandbox.orEmpty();
        try (Client client = client(console);
                Waiting _ = new Waiting(console.err(), console.terminal(Console.ERR), "Capturing " + source)) {
            Snapshot taken = client.snapshot(source, request);
            if (archive.isSet()) {
                try (Client patient = client.patient()) {
                    patient.archiveSnapshot(taken.id(), false);
                }
            }
            if (quiet.isSet()) {
                console.print(Inert.text(taken.id()) + "\n");
            } else {
                console.print(format.structured() ? Document.of(taken, format, console) : SnapshotLsVerb.line(taken));
            }
            return OK;
        }
    }
}
