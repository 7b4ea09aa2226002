package dev.sandglass.client.archive;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.tar.TarHeader;
import dev.sandglass.wire.tar.TarTime;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Packs what is in a local directory into an archive. Links stay links, symbolic and hard ones; modes and times are kept.
 *
 * <p>Names are relative to the directory, or begin with a name for the directory itself, which is then packed too.
 */
public final class Packer {
    private final Path root;
    private final String prefix;
    private final LongConsumer progress;
    private final Map<Object, String> linked = new HashMap<>();
    private final List<String> leftOut = new ArrayList<>();
    private final List<String> withoutSetId = new ArrayList<>();
    private final byte[] buffer = new byte[1 << 16];

    /** An empty name packs only what is in the directory. */
    public Packer(Path root, String name, LongConsumer progress) {
        this.root = root;
        this.prefix = name.isEmpty() ? "" : RawName.ofText(name) + "/";
        this.progress = progress;
    }

    /** The bytes of all files together, for the progress. */
    public static long size(Path root) throws IOException {
        long[] sum = {0};
        Set<Object> seen = new HashSet<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                boolean again = attributes.fileKey() != null && !seen.add(attributes.fileKey());
                sum[0] += attributes.isRegularFile() && !again ? attributes.size() : 0;
                return FileVisitResult.CONTINUE;
            }
        });
        return sum[0];
    }

    public void pack(OutputStream out) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
                if (!directory.equals(root) || !prefix.isEmpty()) {
                    header(out, '5', directory, "", 0);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isSymbolicLink()) {
                    header(out, '2', file, RawName.of(Files.readSymbolicLink(file)), 0);
                } else if (attributes.isRegularFile()) {
                    String first = firstName(file, attributes);
                    if (first != null) {
                        header(out, '1', file, first, 0);
                        return FileVisitResult.CONTINUE;
                    }
                    header(out, '0', file, "", attributes.size());
                    content(out, file, attributes.size());
                } else {
                    leftOut.add(root.relativize(file) + " (neither file, directory nor link)");
                }
                return FileVisitResult.CONTINUE;
            }
        });
        out.write(new byte[2 * TarHeader.SIZE]);
    }

    /** What was not packed: devices, FIFOs and sockets. */
    public List<String> leftOut() {
        return leftOut;
    }

    /** What lost its set-id bits. */
    public List<String> withoutSetId() {
        return withoutSetId;
    }

    /** The name under which the same file was packed before, null if it was not. */
    private @Nullable String firstName(Path file, BasicFileAttributes attributes) throws IOException {
        Object key = attributes.fileKey();
        if (key == null || (int) Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS) < 2) {
            return null;
        }
        return linked.putIfAbsent(key, name(file));
    }

    private String name(Path path) {
        return prefix + RawName.of(root.relativize(path));
    }

    private void header(OutputStream out, char type, Path path, String link, long size) throws IOException {
        int mode = Permissions.mode(path, LinkOption.NOFOLLOW_LINKS);
        if (Permissions.hasSetId(mode)) {
            withoutSetId.add(RawName.shown(name(path)));
        }
        String name = name(path) + (type == '5' && !path.equals(root) ? "/" : "");
        Instant modified = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toInstant();
        long time = modified.getEpochSecond();
        boolean plain = TarHeader.fits(name, link, size) && RawName.ascii(name) && RawName.ascii(link);
        if (!plain || !TarTime.fits(modified)) {
            String records = TarTime.fits(modified) ? "" : record("mtime", TarTime.text(modified));
            if (!plain) {
                records += record("path", name) + record("linkpath", link) + record("size", Long.toString(size));
            }
            extended(out, RawName.bytes(records), time);
        }
        out.write(TarHeader.write(type, name, link, Permissions.copied(mode), size, time));
    }

    private static void extended(OutputStream out, byte[] records, long time) throws IOException {
        out.write(TarHeader.write('x', "extended", "", 0644, records.length, time));
        out.write(records);
        pad(out, records.length);
    }

    private void content(OutputStream out, Path file, long size) throws IOException {
        long left = size;
        try (InputStream in = Files.newInputStream(file)) {
            while (left > 0) {
                int count = in.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (count < 0) {
                    throw new SandglassException(
                            ErrorCode.FILE_REFUSED, file + " became shorter while it was copied", "Copy it again when nothing writes to it.");
                }
                out.write(buffer, 0, count);
                left -= count;
                progress.accept(count);
            }
        }
        pad(out, size);
    }

    private static void pad(OutputStream out, long size) throws IOException {
        out.write(new byte[(int) (-size & (TarHeader.SIZE - 1))]);
    }

    /** A pax record: its own length, which counts itself, then the key and the value. */
    private static String record(String key, String value) {
        if (value.isEmpty()) {
            return "";
        }
        int rest = key.length() + value.length() + 3;
        int length = rest + Integer.toString(rest).length();
        if (Integer.toString(length).length() > Integer.toString(rest).length()) {
            length++;
        }
        return length + " " + key + "=" + value + "\n";
    }
}
