package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import java.nio.file.Path;

/** The files of snapshots, which belong to somebody else: sandboxes begin with them and are kept in them. */
public interface Foundation {
    /** Refuses, by an exception, a snapshot that is not as it was. */
    void require(SnapshotRecord snapshot, boolean withMemory);

    /** Keeps the runtime's image of a full snapshot, whatever becomes of the snapshot, until that is closed. */
    Held hold(SnapshotRecord snapshot);

    /** Something that is kept. */
    interface Held extends AutoCloseable {
        @Override
        void close();
    }

    /** The runtime's image of a full snapshot. */
    Path memory(SnapshotRecord snapshot);

    /** Keeps what a sandbox is, with its processes where that can be, unless only its disk is wanted. */
    Capture capture(SnapshotPurpose purpose, boolean diskOnly);

    /** A snapshot that was taken for a purpose is not needed by this sandbox any more; it stays if another needs it. Fine if it is gone. */
    void release(SnapshotId snapshot);
}
