package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SnapshotFile;
import java.io.IOException;
import java.nio.file.Path;

/** {@code image export}: the disk of a snapshot as an image. */
final class ImageExportVerb extends Verb {
    private final Syntax.Value snapshot = syntax.operand(0, "SNAPSHOT", "Name, id, or the beginning of one.");
    private final Syntax.Value file = syntax.operand(1, "FILE", "Where to write the archive, - for standard output.");
    private final Syntax.Value name = syntax.value("NAME", "What other tools are to call it.", "--name");

    ImageExportVerb() {
        super(new Syntax("image export", "Write the disk of a snapshot, with all that it stands on, as an image that runs elsewhere: a tar archive", "of an OCI layout."));
    }

    @Override
    boolean outputIsData() {
        return "-".equals(file.orNull());
    }

    @Override
    int run(Console console) {
        String target = file.orEmpty();
        try (Client client = client(console).patient()) {
            if (target.equals("-")) {
                arrival(console, client).pass(console.out());
                return OK;
            }
            SnapshotFile written = new SnapshotFile(target, arrival(console, client).write(Path.of(target)));
            Format format = format(console);
            console.print(format.structured() ? Document.of(written, format, console) : SnapshotExportVerb.line(written));
            return OK;
        } catch (IOException problem) {
            throw new SandglassException(
                    ErrorCode.STORAGE_FAILED, "The export broke off: " + problem.getMessage(), "Look at the disk and the daemon, and export it again.", problem);
        }
    }

    private Arrival arrival(Console console, Client client) {
        return new Arrival(console, snapshot.orEmpty(), () -> client.images().export(snapshot.orEmpty(), name.orNull()).body());
    }
}
