package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.http.Streamed;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.ProgressBar;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code snapshot import}: a snapshot out of a file. */
final class SnapshotImportVerb extends Verb {
    private static final List<String> TAR = List.of(".tar.gz", ".tar");

    private final Syntax.Value file = syntax.operand(0, "FILE", "What `snapshot export` wrote, or a NAME.tar.gz or NAME.tar of an overlay's upper directory; - for standard input.");
    private final Syntax.Value name = syntax.value("NAME", "A name of your choice; if absent the one that it had, or that of the tar archive.", "--name");

    SnapshotImportVerb() {
        super(new Syntax("snapshot import", "Make a snapshot of a file that was exported, here or on another machine. All of it is checked while it is read."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        String source = file.orEmpty();
        try (Client client = client(console).patient()) {
            Snapshot read = source.equals("-") ? send(console, client, console.in(), -1) : open(console, client, Path.of(source));
            String title = read.name() == null ? "" : Inert.text(read.name()) + "   ";
            console.print(format.structured() ? Document.of(read, format, console) : title + Inert.text(read.id()) + "   " + Inert.text(read.kind()) + "\n");
            return OK;
        }
    }

    private Snapshot open(Console console, Client client, Path source) {
        if (!Files.exists(source)) {
            throw new SandglassException(ErrorCode.PATH_NOT_FOUND, "There is no " + source + " here", "Check the path.");
        }
        if (Files.isDirectory(source)) {
            throw new UsageException(source + " is a directory (expected: the file of a snapshot)");
        }
        try (InputStream in = Files.newInputStream(source)) {
            return send(console, client, in, Files.isRegularFile(source) ? Files.size(source) : -1);
        } catch (IOException problem) {
            throw new SandglassException(ErrorCode.STORAGE_FAILED, source + " cannot be read: " + problem.getMessage(), "Check the path and your rights.", problem);
        }
    }

    private Snapshot send(Console console, Client client, InputStream in, long size) {
        try (ProgressBar bar = new ProgressBar(console.err(), console.terminal(Console.ERR), file.orEmpty(), size)) {
            return client.importSnapshot(name(), new Streamed("application/octet-stream", -1, out -> copy(in, out, bar)));
        }
    }

    /** A snapshot's file has its name in it, a plain archive has none but its own. */
    private @Nullable String name() {
        String source = String.valueOf(Path.of(file.orEmpty()).getFileName());
        Optional<String> ending = TAR.stream().filter(source::endsWith).findFirst();
        return name.orNull() == null && ending.isPresent() ? source.substring(0, source.length() - ending.get().length()) : name.orNull();
    }

    private static void copy(InputStream in, OutputStream out, ProgressBar bar) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            out.write(buffer, 0, count);
            bar.add(count);
        }
    }
}
