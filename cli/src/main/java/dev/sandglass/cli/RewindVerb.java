package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.RewindSandbox;
import dev.sandglass.wire.Sandbox;

/** {@code rewind}: a sandbox becomes what it was. */
final class RewindVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Value snapshot = syntax.optionalOperand(1, "SNAPSHOT", "What it is made: name, id, or the beginning of one.");
    private final Syntax.Flag undo = syntax.flag("What it was before it was last turned back.", "--undo");
    private final Syntax.Flag diskOnly = syntax.flag("Start anew on the snapshot's disk.", "--disk-only");

    RewindVerb() {
        super(new Syntax("rewind", "Turn a sandbox back to a snapshot, in place. What it is now is kept: `--undo` brings it back."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        if (undo.isSet() == (snapshot.orNull() != null)) {
            throw new UsageException("rewind: a SNAPSHOT or --undo is needed, and not both; `sandglass snapshot ls` lists the snapshots");
        }
        String which = sandbox.orEmpty();
        RewindSandbox request = new RewindSandbox(snapshot.orNull(), undo.isSet() ? true : null, diskOnly.isSet() ? true : null);
        try (Client client = client(console)) {
            Sandbox now = waiting(console, "Turning back " + which, () -> client.rewind(which, request));
            CreateVerb.warnings(console, now);
            console.print(format.structured() ? Document.of(now, format, console) : Inert.text(now.name()) + "   " + Inert.text(now.state()) + "\n");
            return OK;
        }
    }
}
