package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code snapshot rm}: snapshots are gone; what grew from them stays. */
final class SnapshotRmVerb extends RemovalVerb {
    SnapshotRmVerb() {
        super(new Syntax("snapshot rm", "Remove snapshots. Sandboxes and snapshots that grew from them stay whole."), "SNAPSHOT", "Name, id, or the beginning of an id.");
    }

    @Override
    void remove(Client client, String name) {
        client.deleteSnapshot(name);
    }
}
