package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Snapshot;

/** {@code snapshot verify}: reads every file of a snapshot. */
final class SnapshotVerifyVerb extends Verb {
    private final Syntax.Value named = syntax.operand(0, "SNAPSHOT", "Name, id, or the beginning of one.");

    SnapshotVerifyVerb() {
        super(new Syntax("snapshot verify", "Read every file of a snapshot and compare it with what was written down when it was taken."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console).patient()) {
            Snapshot whole = waiting(console, "Reading " + named.orEmpty(), () -> client.verify(named.orEmpty()));
            console.print(format.structured() ? Document.of(whole, format, console) : Inert.text(whole.id()) + "   is as it was\n");
            return OK;
        }
    }
}
