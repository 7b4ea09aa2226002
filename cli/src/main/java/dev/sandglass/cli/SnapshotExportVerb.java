package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SnapshotFile;
import java.io.IOException;
import java.nio.file.Path;

/** {@code snapshot export}: a snapshot as one file. */
final class SnapshotExportVerb extends Verb {
    private final Syntax.Value snapshot = syntax.operand(0, "SNAPSHOT", "Name, id, or the beginning of one.");
    private final Syntax.Value file =
            syntax.optionalOperand(1, "FILE", "Where to write it, - for standard output; snapshots/NAME.sgs in the daemon's data directory if absent.");
    private final Syntax.Flag thin = syntax.flag("Name the base image instead of including it: for machines that have it.", "--thin");

    SnapshotExportVerb() {
        super(new Syntax("snapshot export", "Write a snapshot as one compressed file, with all that it stands on, for another machine."));
    }

    @Override
    boolean outputIsData() {
        return "-".equals(file.orNull());
    }

    @Override
    int run(Console console) {
        String target = file.orNull();
        try (Client client = client(console).patient()) {
            if (target == null) {
                return told(console, waiting(console, "Exporting " + snapshot.orEmpty(), () -> client.archiveSnapshot(snapshot.orEmpty(), thin.isSet())));
            }
            if (target.equals("-")) {
                arrival(console, client).pass(console.out());
                return OK;
            }
            return told(console, new SnapshotFile(target, arrival(console, client).write(Path.of(target))));
        } catch (IOException problem) {
            throw new SandglassException(
                    ErrorCode.STORAGE_FAILED, "The export broke off: " + problem.getMessage(), "Look at the disk and the daemon, and export it again.", problem);
        }
    }

    /** One file for people. */
    static String line(SnapshotFile written) {
        return Inert.text(written.path()) + "   " + Bytes.shown(written.bytes()) + "\n";
    }

    private int told(Console console, SnapshotFile written) {
        Format format = format(console);
        console.print(format.structured() ? Document.of(written, format, console) : line(written));
        return OK;
    }

    private Arrival arrival(Console console, Client client) {
        return new Arrival(console, snapshot.orEmpty(), () -> client.exportSnapshot(snapshot.orEmpty(), thin.isSet()).body());
    }
}
