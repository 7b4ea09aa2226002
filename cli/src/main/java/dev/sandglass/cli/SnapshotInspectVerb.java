package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Snapshot;
import java.util.ArrayList;
import java.util.List;

/** {@code snapshot inspect}: all there is to know about snapshots. */
final class SnapshotInspectVerb extends Verb {
    private final Syntax.Values named = syntax.operands(0, 1, "SNAPSHOT", "Name, id, or the beginning of one.");

    SnapshotInspectVerb() {
        super(new Syntax("snapshot inspect", "Show all there is to know about snapshots."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<Snapshot> found = new ArrayList<>();
            named.all().forEach(name -> found.add(client.snapshot(name)));
            Format shown = format.structured() ? format : Format.YAML;
            console.print(found.size() == 1 ? Document.of(found.getFirst(), shown, console) : Document.ofList(found, shown, console));
            return OK;
        }
    }
}
