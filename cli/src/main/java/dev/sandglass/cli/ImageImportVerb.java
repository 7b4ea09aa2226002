package dev.sandglass.cli;

import dev.sandglass.cli.archive.Packer;
import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.copy.Streamed;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.ProgressBar;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code image import}: an image out of an archive or a directory. */
final class ImageImportVerb extends Verb {
    private final Syntax.Value source = syntax.operand(0, "FILE", "The directory or archive of an OCI layout, or what `docker save` wrote; - for standard input.");
    private final Syntax.Value name = syntax.value("NAME", "What it is called here; if absent as it is in the archive.", "--name");
    private final Syntax.Flag quiet = syntax.flag("Print the id and nothing else.", "-q", "--quiet");

    ImageImportVerb() {
        super(new Syntax("image import", "Take an image out of an archive. All of it is checked by its digests."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console).patient()) {
            ImageInfo image = source.orEmpty().equals("-") ? send(console, client, console.in(), -1) : open(console, client, Path.of(source.orEmpty()));
            ImageText.warnings(console, image);
            console.print(quiet.isSet() ? Inert.text(image.id()) + "\n" : format.structured() ? Document.of(image, format, console) : ImageText.line(image));
            return OK;
        }
    }

    private ImageInfo open(Console console, Client client, Path path) {
        if (!Files.exists(path)) {
            throw new SandglassException(ErrorCode.PATH_NOT_FOUND, "There is no " + path + " here", "Check the path.");
        }
        try {
            if (Files.isDirectory(path)) {
                return packed(console, client, path);
            }
            try (InputStream in = Files.newInputStream(path)) {
                return send(console, client, in, Files.isRegularFile(path) ? Files.size(path) : -1);
            }
        } catch (IOException problem) {
            throw new SandglassException(ErrorCode.STORAGE_FAILED, path + " cannot be read: " + problem.getMessage(), "Check the path and your rights.", problem);
        }
    }

    /** As an archive, which is what the daemon takes. */
    private ImageInfo packed(Console console, Client client, Path directory) throws IOException {
        try (ProgressBar bar = new ProgressBar(console.err(), console.terminal(Console.ERR), source.orEmpty(), Packer.size(directory))) {
            Packer packer = new Packer(directory, "", bar::add);
            return client.images().read(name.orNull(), new Streamed("application/octet-stream", -1, packer::pack));
        }
    }

    private ImageInfo send(Console console, Client client, InputStream in, long size) {
        try (ProgressBar bar = new ProgressBar(console.err(), console.terminal(Console.ERR), source.orEmpty(), size)) {
            return client.images().read(name.orNull(), new Streamed("application/octet-stream", -1, out -> copy(in, out, bar)));
        }
    }

    private static void copy(InputStream in, OutputStream out, ProgressBar bar) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            out.write(buffer, 0, count);
            bar.add(count);
        }
    }
}
