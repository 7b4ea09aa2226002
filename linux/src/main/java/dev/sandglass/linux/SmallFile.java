package dev.sandglass.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;

/** Reads files of trees with hostile content whole: regular ones within a bound, and no link on the way is followed. Stateless. */
public final class SmallFile {
    private static final int ENOTDIR = 20;
    private static final int ELOOP = 40;

    private SmallFile() {}

    /**
     * The content of a file.
     *
     * @param path below the directory, names with slashes between them
     */
    public static byte[] read(Path directory, String path, int most) throws IOException {
        String[] names = path.split("/");
        OpenDirectory in = OpenDirectory.of(directory);
        try {
            for (int i = 0; i < names.length - 1; i++) {
                OpenDirectory child = in.child(bytes(names[i]));
                in.close();
                in = child;
            }
            return read(in, bytes(names[names.length - 1]), path, most);
        } catch (ErrnoException problem) {
            throw switch (problem.errno()) {
                case Libc.ENOENT -> new NoSuchFileException(path);
                case ENOTDIR, ELOOP -> new NotDirectoryException(path);
                default -> problem;
            };
        } finally {
            in.close();
        }
    }

    /** As {@link #read}, empty if there is no such file, or it is none that can be read so. */
    public static Optional<byte[]> find(Path directory, String path, int most) throws IOException {
        try {
            return Optional.of(read(directory, path, most));
        } catch (UnfitException | NoSuchFileException | NotDirectoryException unfit) {
            return Optional.empty();
        }
    }

    /** How large a regular file is; no link is followed. */
    public static long size(Path directory, String name) throws IOException {
        try (OpenDirectory in = OpenDirectory.of(directory)) {
            FileFacts facts = in.facts(bytes(name));
            if (!facts.isRegular()) {
                throw new UnfitException(name + " is no regular file");
            }
            return facts.size();
        }
    }

    private static byte[] read(OpenDirectory in, byte[] name, String path, int most) throws IOException {
        FileFacts facts = in.facts(name);
        if (!facts.isRegular()) {
            throw new UnfitException(path + " is no regular file");
        }
        if (facts.size() > most) {
            throw new UnfitException(path + " has " + facts.size() + " bytes (expected: <= " + most + ")");
        }
        ByteBuffer direct = ByteBuffer.allocateDirect(Math.max(1, (int) facts.size()));
        byte[] content = new byte[(int) facts.size()];
        try (OpenFile file = in.file(name)) {
            for (int at = 0; at < content.length; ) {
                int count = file.read(direct, at, content.length - at).remaining();
                if (count == 0) {
                    throw new IOException(path + " became shorter");
                }
                direct.get(content, at, count);
                at += count;
            }
        }
        return content;
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** Something that no such file is. */
    private static final class UnfitException extends IOException {
        private static final long serialVersionUID = 1L;

        UnfitException(String what) {
            super(what);
        }
    }
}
