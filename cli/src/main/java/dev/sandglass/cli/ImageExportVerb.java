package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
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
                receive(console, client, console.out());
                return OK;
            }
            SnapshotFile written = new SnapshotFile(target, write(console, client, Path.of(target)));
            Format format = format(console);
            console.print(format.structured() ? Document.of(written, format, console) : SnapshotExportVerb.line(written));
            return OK;
        } catch (IOException problem) {
            throw new SandglassException(
                    ErrorCode.STORAGE_FAILED, "The export broke off: " + problem.getMessage(), "Look at the disk and the daemon, and export it again.", problem);
        }
    }

    /** Whole or not at all. */
    private long write(Console console, Client client, Path target) throws IOException {
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
            InputStream in = client.images().export(snapshot.orEmpty(), name.orNull()).body();
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
