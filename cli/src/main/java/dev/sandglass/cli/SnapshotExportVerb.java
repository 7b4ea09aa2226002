package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.ProgressBar;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SnapshotFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

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
                receive(console, client, console.out());
                return OK;
            }
            return told(console, new SnapshotFile(target, write(console, client, Path.of(target))));
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

    /** Whole or not at all. */
    private long write(Console console, Client client, Path target) throws IOException {
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            try (OutputStream out = Files.newOutputStream(target)) {
                return receive(console, client, out);
            }
        }
        Path parent = target.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw new SandglassException(ErrorCode.PATH_NOT_FOUND, "There is no directory " + parent + " here", "Make it first, or choose another place.");
        }
        Path partial = target.resolveSibling("." + target.getFileName() + ".new");
        partial.toFile().deleteOnExit(); // a signal leaves no time for what stands below
        try {
            long bytes;
            try (OutputStream out = Files.newOutputStream(partial)) {
                bytes = receive(console, client, out);
            }
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return bytes;
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    private long receive(Console console, Client client, OutputStream out) throws IOException {
        try (ProgressBar bar = new ProgressBar(console.err(), console.terminal(Console.ERR), snapshot.orEmpty(), -1)) {
            InputStream in = client.exportSnapshot(snapshot.orEmpty(), thin.isSet()).body();
            byte[] buffer = new byte[1 << 16];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                out.write(buffer, 0, count);
                bar.add(count);
            }
            out.flush();
            return bar.done();
        }
    }
}
