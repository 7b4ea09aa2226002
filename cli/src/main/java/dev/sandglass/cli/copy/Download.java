package dev.sandglass.cli.copy;

import dev.sandglass.client.archive.Draft;
import dev.sandglass.client.archive.ModificationTime;
import dev.sandglass.client.archive.Permissions;
import dev.sandglass.client.archive.Unpacker;
import dev.sandglass.client.daemon.RemoteFiles;
import dev.sandglass.client.http.Response;
import dev.sandglass.cli.terminal.ProgressBar;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Unpacked;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A file or directory of a sandbox or a volume onto this machine; what comes is not trusted. */
public final class Download {
    private final RemoteFiles files;
    private final @Nullable String user;
    private final LongFunction<ProgressBar> progress;

    /** The progress is made for a total number of bytes, -1 if that is unknown. */
    public Download(RemoteFiles files, @Nullable String user, LongFunction<ProgressBar> progress) {
        this.files = files;
        this.user = user;
        this.progress = progress;
    }

    public Copied copy(String sandbox, Place source, Place destination) throws IOException {
        Entry entry = files.stat(sandbox, source.path(), user);
        Path local = Path.of(destination.path());
        boolean intoDirectory = Files.isDirectory(local);
        if (!entry.kind().equals("directory")) {
            boolean below = intoDirectory || destination.path().endsWith("/");
            return file(sandbox, source.path(), entry, below ? local.resolve(source.baseName()) : local);
        }
        if (Files.exists(local) && !intoDirectory) {
            throw new SandglassException(
                    ErrorCode.PATH_EXISTS, local + " is there and is no directory", "Remove it, or choose another destination.");
        }
        return directory(sandbox, source.path(), entry, intoDirectory && !source.contentOnly() ? local.resolve(source.baseName()) : local);
    }

    /** The bytes of a file, or a directory as a tar archive, onto a stream. */
    public Copied stream(String sandbox, Place source, OutputStream out) throws IOException {
        Entry entry = files.stat(sandbox, source.path(), user);
        boolean directory = entry.kind().equals("directory");
        try (ProgressBar bar = progress.apply(directory ? -1 : entry.size())) {
            Response response =
                    directory ? files.readArchive(sandbox, source.path(), user) : files.read(sandbox, source.path(), user);
            receive(response.body(), out, bar);
            return new Copied(1, bar.done());
        }
    }

    /** A regular file is replaced whole or not at all; a device or FIFO such as /dev/stdout is written to. */
    private Copied file(String sandbox, String path, Entry entry, Path local) throws IOException {
        boolean special = Files.exists(local) && !Files.isRegularFile(local);
        Path target = Files.isSymbolicLink(local) && Files.exists(local) ? local.toRealPath() : local;
        if (target.getParent() != null && !special) {
            Files.createDirectories(target.getParent());
        }
        int mode = Integer.parseInt(entry.mode(), 8);
        try (ProgressBar bar = progress.apply(entry.size());
                Draft draft = new Draft()) {
            Response response = files.read(sandbox, path, user);
            try (OutputStream out = special ? Files.newOutputStream(target) : draft.begin(target, mode)) {
                receive(response.body(), out, bar);
            }
            if (!special) {
                draft.finish(target, whole -> keep(whole, entry));
            }
            return new Copied(1, bar.done(), List.of(), !special && Permissions.hasSetId(mode) ? List.of(path) : List.of());
        }
    }

    private Copied directory(String sandbox, String path, Entry entry, Path local) throws IOException {
        boolean isNew = !Files.exists(local);
        Files.createDirectories(local);
        try (ProgressBar bar = progress.apply(-1)) {
            Unpacker unpacker = new Unpacker(local.toRealPath(), bar::add, bar::file);
            Unpacked unpacked = unpacker.unpack(files.readArchive(sandbox, path, user).body());
            if (isNew) {
                keep(local, entry);
            }
            return new Copied(unpacked.entries(), unpacked.bytes(), unpacker.leftOut(), unpacker.withoutSetId());
        }
    }

    /** What was made here gets the mode and the time that it has there. */
    private static void keep(Path path, Entry entry) throws IOException {
        Permissions.set(path, Integer.parseInt(entry.mode(), 8), LinkOption.NOFOLLOW_LINKS);
        Files.setLastModifiedTime(path, ModificationTime.settable(entry.modifiedAt()));
    }

    private static void receive(InputStream in, OutputStream out, ProgressBar bar) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            out.write(buffer, 0, count);
            bar.add(count);
        }
    }
}
