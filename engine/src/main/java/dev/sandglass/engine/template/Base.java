package dev.sandglass.engine.template;

import dev.sandglass.engine.ledger.SnapshotRecord;

/** What a build begins with. An image of another kind would be one more of these. */
sealed interface Base {
    /** What it is, in a few letters that no other has. */
    String identity();

    /** The image with which sandboxes begin. */
    record OfImage(String id) implements Base {
        @Override
        public String identity() {
            return "image " + id;
        }
    }

    /** A snapshot, perhaps that of another template. */
    record OfSnapshot(SnapshotRecord snapshot) implements Base {
        @Override
        public String identity() {
            return "snapshot " + snapshot.id().text();
        }
    }
}
