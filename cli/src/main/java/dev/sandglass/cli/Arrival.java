package dev.sandglass.cli;

import dev.sandglass.cli.terminal.ProgressBar;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Supplier;

/**
 * What the daemon sends in one piece, shown as it comes.
 *
 * @param what is coming, for the bar
 * @param content is asked for when there is a place for it
 */
record Arrival(Console console, String what, Supplier<InputStream> content) {
    /** Writes it to a file, whole or not at all; what is no file, as a device or a FIFO, is written to and stays what it is. Gives back the bytes. */
    long write(Path target) throws IOException {
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            try (OutputStream out = Files.newOutputStream(target)) {
                return pass(out);
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
                bytes = pass(out);
            }
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return bytes;
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** Writes it to a stream, which stays open. */
    long pass(OutputStream out) throws IOException {
        try (ProgressBar bar = new ProgressBar(console.err(), console.terminal(Console.ERR), what, -1)) {
            InputStream in = content.get();
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
