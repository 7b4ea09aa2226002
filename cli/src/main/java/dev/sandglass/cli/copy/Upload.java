package dev.sandglass.cli.copy;

import dev.sandglass.client.archive.Packer;
import dev.sandglass.client.archive.Permissions;
import dev.sandglass.client.http.Streamed;
import dev.sandglass.client.daemon.RemoteFiles;
import dev.sandglass.cli.terminal.ProgressBar;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Unpacked;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A file or directory of this machine into a sandbox or a volume. */
public final class Upload {
    private static final long MOST_SECONDS = 8_000_000_000L;

    private final RemoteFiles files;
    private final @Nullable String user;
    private final LongFunction<ProgressBar> progress;

    /** The progress is made for a total number of bytes, -1 if that is unknown. */
    public Upload(RemoteFiles files, @Nullable String user, LongFunction<ProgressBar> progress) {
        this.files = files;
        this.user = user;
        this.progress = progress;
    }

    public Copied copy(Place source, String sandbox, Place destination) throws IOException {
        Path local = Path.of(source.path());
        if (!Files.exists(local)) {
            throw new SandglassException(ErrorCode.PATH_NOT_FOUND, "There is no " + local + " here", "Check the path.");
        }
        Entry there = entry(sandbox, destination.path());
        boolean intoDirectory = there != null && there.kind().equals("directory");
        if (!Files.isDirectory(local)) {
            boolean below = intoDirectory || destination.path().endsWith("/");
            return file(local, sandbox, below ? destination.child(name(local)) : destination.path());
        }
        if (there != null && !intoDirectory) {
            throw new SandglassException(
                    ErrorCode.PATH_EXISTS, destination.path() + " is there and is no directory", "Remove it, or choose another destination.");
        }
        if (intoDirectory) {
            return directory(local, sandbox, destination.path(), source.path().endsWith("/.") ? "" : name(local));
        }
        String parent = destination.parent();
        return parent.isEmpty()
                ? directory(local, sandbox, destination.path(), "")
                : directory(local, sandbox, parent, destination.baseName());
    }

    /** What a stream has, until its end, into a file. */
    public Copied stream(InputStream in, String sandbox, Place destination) {
        try (ProgressBar bar = progress.apply(-1)) {
            files.write(sandbox, destination.path(), user, "644", null, new Streamed("application/octet-stream", -1, out -> {
                byte[] buffer = new byte[1 << 16];
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    out.write(buffer, 0, count);
                    bar.add(count);
                }
            }));
            return new Copied(1, bar.done());
        }
    }

    private Copied file(Path local, String sandbox, String path) throws IOException {
        long size = Files.size(local);
        int bits = Permissions.mode(local);
        String mode = Integer.toOctalString(Permissions.copied(bits));
        try (ProgressBar bar = progress.apply(size)) {
            files.write(sandbox, path, user, mode, modifiedAt(local), new Streamed("application/octet-stream", size, out -> send(local, size, out, bar)));
        }
        return new Copied(1, size, List.of(), Permissions.hasSetId(bits) ? List.of(local.toString()) : List.of());
    }

    /** Null where it is out of what the daemon takes. */
    private static @Nullable Instant modifiedAt(Path local) throws IOException {
        Instant time = Files.getLastModifiedTime(local).toInstant();
        return Math.abs(time.getEpochSecond()) > MOST_SECONDS ? null : time;
    }

    /** Into a directory under that name; without a name only what it has. */
    private Copied directory(Path local, String sandbox, String path, String name) throws IOException {
        try (ProgressBar bar = progress.apply(Packer.size(local))) {
            Packer packer = new Packer(local, name, bar::add);
            Unpacked unpacked = files.writeArchive(sandbox, path, user, new Streamed("application/x-tar", -1, packer::pack));
            return new Copied(unpacked.entries(), unpacked.bytes(), packer.leftOut(), packer.withoutSetId());
        }
    }

    private static void send(Path local, long size, OutputStream out, ProgressBar bar) throws IOException {
        byte[] buffer = new byte[1 << 16];
        long left = size;
        try (InputStream in = Files.newInputStream(local)) {
            while (left > 0) {
                int count = in.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (count < 0) {
                    throw new SandglassException(
                            ErrorCode.FILE_REFUSED, local + " became shorter while it was copied", "Copy it again when nothing writes to it.");
                }
                out.write(buffer, 0, count);
                left -= count;
                bar.add(count);
            }
        }
    }

    private @Nullable Entry entry(String sandbox, String path) {
        try {
            return files.stat(sandbox, path, user);
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.PATH_NOT_FOUND) {
                return null;
            }
            throw problem;
        }
    }

    /** The name it really has, also when it was given as "." or "..". */
    private static String name(Path local) throws IOException {
        Path name = local.getFileName();
        boolean plain = name != null && !name.toString().equals(".") && !name.toString().equals("..") && !name.toString().isEmpty();
        Path real = plain ? name : local.toRealPath().getFileName();
        return real == null ? "" : real.toString();
    }
}
