package dev.sandglass.client;

import dev.sandglass.client.archive.Packer;
import dev.sandglass.client.archive.Unpacker;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.RemoteFiles;
import dev.sandglass.client.http.Response;
import dev.sandglass.client.http.Streamed;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.EntryList;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.WatchEvent;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** The files of a sandbox, or of a volume. */
public final class Files {
    private static final String BYTES = "application/octet-stream";

    private final Daemon daemon;
    private final String owner;
    private final Function<Client, RemoteFiles> files;

    Files(Daemon daemon, String owner, Function<Client, RemoteFiles> files) {
        this.daemon = daemon;
        this.owner = owner;
        this.files = files;
    }

    public String read(String path) {
        return new String(readBytes(path), StandardCharsets.UTF_8);
    }

    public byte[] readBytes(String path) {
        return readBytes(path, options -> {});
    }

    public byte[] readBytes(String path, Consumer<FileOptions> options) {
        try (InputStream in = stream(path, options)) {
            return in.readAllBytes();
        } catch (IOException problem) {
            throw broken(problem);
        }
    }

    /** What a file has, as it comes; closing it before the end wants no more of it. */
    public InputStream stream(String path, Consumer<FileOptions> options) {
        FileOptions how = options(options);
        Client client = daemon.patient();
        try {
            Response response = files.apply(client).read(owner, path, how.user);
            return new Download(response.body(), response.length(), how.progress, client);
        } catch (RuntimeException problem) {
            client.close();
            throw problem;
        }
    }

    public Entry write(String path, String text) {
        return write(path, text.getBytes(StandardCharsets.UTF_8), options -> {});
    }

    public Entry write(String path, byte[] bytes, Consumer<FileOptions> options) {
        return write(path, new ByteArrayInputStream(bytes), bytes.length, options);
    }

    /** Writes what a local file has. */
    public Entry write(String path, Path local, Consumer<FileOptions> options) {
        try (InputStream in = java.nio.file.Files.newInputStream(local)) {
            return write(path, in, java.nio.file.Files.size(local), options);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /**
     * Writes a file and makes its parents. It is replaced whole or not at all.
     *
     * @param length -1 if that is not known
     */
    public Entry write(String path, InputStream data, long length, Consumer<FileOptions> options) {
        FileOptions how = options(options);
        Streamed body = new Streamed(BYTES, length, out -> copy(data, out, length, how.progress));
        Function<Client, Entry> call = client -> files.apply(client).write(owner, path, how.user, how.mode, null, body);
        return length < 0 ? daemon.askPatiently(call) : daemon.ask(call); // who does not know how much it is may take long to find out
    }

    public List<Entry> list(String path) {
        return list(path, options -> {});
    }

    /** What is in a directory, in order of name. */
    public List<Entry> list(String path, Consumer<FileOptions> options) {
        FileOptions how = options(options);
        EntryList found = daemon.ask(client -> files.apply(client).list(owner, path, how.user, how.depth));
        if (found.truncated()) {
            throw new SandglassException(ErrorCode.TOO_LARGE, path + " has more entries than one answer holds", "List its directories one by one.");
        }
        return found.entries();
    }

    /** Whether there is something at a path. */
    public boolean exists(String path) {
        try {
            getInfo(path);
            return true;
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.PATH_NOT_FOUND) {
                return false;
            }
            throw problem;
        }
    }

    /** What is at a path; of a link itself. */
    public Entry getInfo(String path) {
        return daemon.ask(client -> files.apply(client).entry(owner, path, null));
    }

    /** Removes a file, or a directory with all in it. */
    public void remove(String path) {
        daemon.ask(client -> {
            files.apply(client).remove(owner, path, null, true);
            return true;
        });
    }

    public Entry rename(String path, String to) {
        return daemon.ask(client -> files.apply(client).move(owner, path, to, null));
    }

    /** Makes a directory with its parents; fine if it is there. */
    public Entry makeDir(String path) {
        return daemon.ask(client -> files.apply(client).makeDirectory(owner, path, null, null));
    }

    /** Tells what happens below a directory from now on, in a thread of its own, until what is returned is closed. */
    public WatchHandle watchDir(String path, Consumer<WatchEvent> listener, Consumer<FileOptions> options) {
        FileOptions how = options(options);
        Client client = daemon.patient();
        try {
            return new WatchHandle(client, files.apply(client).watch(owner, path, how.user, how.recursive), listener);
        } catch (RuntimeException problem) {
            client.close();
            throw problem;
        }
    }

    public void uploadDir(Path local, String path) {
        uploadDir(local, path, options -> {});
    }

    /** Brings what is in a local directory into one there, which is made. Links stay links; modes and times are kept. */
    public void uploadDir(Path local, String path, Consumer<FileOptions> options) {
        FileOptions how = options(options);
        if (!java.nio.file.Files.isDirectory(local)) {
            throw new SandglassException(ErrorCode.PATH_NOT_FOUND, "There is no directory " + local + " here", "Check the path.");
        }
        try {
            long total = Packer.size(local);
            long[] done = {0};
            Packer packer = new Packer(local, "", count -> how.progress.moved(done[0] += count, total));
            daemon.askPatiently(client -> files.apply(client).writeArchive(owner, path, how.user, new Streamed("application/x-tar", -1, packer::pack)));
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    public void downloadDir(String path, Path local) {
        downloadDir(path, local, options -> {});
    }

    /** Brings what is in a directory there into a local one, which is made. Links that lead out of it, and devices, are left out. */
    public void downloadDir(String path, Path local, Consumer<FileOptions> options) {
        FileOptions how = options(options);
        daemon.askPatiently(client -> {
            Response archive = files.apply(client).readArchive(owner, path, how.user);
            try {
                java.nio.file.Files.createDirectories(local);
                long[] done = {0};
                return new Unpacker(local.toRealPath(), count -> how.progress.moved(done[0] += count, -1), () -> {}).unpack(archive.body());
            } catch (IOException problem) {
                throw broken(problem);
            }
        });
    }

    private static FileOptions options(Consumer<FileOptions> options) {
        FileOptions how = new FileOptions();
        options.accept(how);
        return how;
    }

    private static void copy(InputStream from, OutputStream to, long total, Progress progress) throws IOException {
        byte[] buffer = new byte[1 << 16];
        long done = 0;
        for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
            to.write(buffer, 0, count);
            done += count;
            progress.moved(done, total);
        }
    }

    private static SandglassException broken(IOException problem) {
        return new SandglassException(ErrorCode.DAEMON_UNREACHABLE, "The transfer broke: " + problem.getMessage(), "Try again.", problem);
    }

    /** A file on its way here, with a connection of its own. */
    private static final class Download extends FilterInputStream {
        private final long total;
        private final Progress progress;
        private final Client client;
        private long done;

        Download(InputStream in, long total, Progress progress, Client client) {
            super(in);
            this.total = total;
            this.progress = progress;
            this.client = client;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int count = super.read(target, offset, length);
            if (count > 0) {
                done += count;
                progress.moved(done, total);
            }
            return count;
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
