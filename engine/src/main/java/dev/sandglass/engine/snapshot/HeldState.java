package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.ProcessList;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The files and processes of a snapshot, or of a sandbox as it was when this was made. They stay until this is closed, whatever is deleted meanwhile.
 *
 * @param kind snapshot or sandbox
 * @param layers top first, that lie on the image
 * @param grownFrom the snapshot whose state it last had before
 * @param processes empty if they are not known
 */
public record HeldState(
        String kind,
        String id,
        Optional<String> name,
        String image,
        List<Path> layers,
        Optional<SnapshotId> grownFrom,
        Optional<ProcessList> processes,
        Runnable release)
        implements AutoCloseable {
    @Override
    public void close() {
        release.run();
    }
}
