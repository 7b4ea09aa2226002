package dev.sandglass.engine.template;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.CommandDefaults;

/** What a build begins with. */
sealed interface Base {
    /** What it is, in a few letters that no other has. */
    String identity();

    /** What it says of commands. */
    CommandDefaults commands();

    /** The image with which sandboxes begin that name none. */
    record OfImage(String id) implements Base {
        @Override
        public String identity() {
            return "image " + id;
        }

        @Override
        public CommandDefaults commands() {
            return CommandDefaults.NONE;
        }
    }

    /** An image from elsewhere. */
    record OfNamedImage(String id, CommandDefaults commands) implements Base {
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

        @Override
        public CommandDefaults commands() {
            return snapshot.commandDefaults();
        }
    }
}
