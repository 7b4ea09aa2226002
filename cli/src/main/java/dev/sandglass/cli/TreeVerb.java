package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.SnapshotTree;

/** {@code tree}: what grew from what. */
final class TreeVerb extends Verb {
    TreeVerb() {
        super(new Syntax("tree", "Draw what grew from what: images, the snapshots on them, and the sandboxes on those."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            SnapshotTree tree = client.tree();
            console.print(format.structured() ? Document.of(tree, format, console) : new TreeDrawing(tree).text(console.styled()));
            return OK;
        }
    }
}
