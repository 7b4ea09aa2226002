package dev.sandglass.client.archive;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Unpacked;
import dev.sandglass.wire.tar.TarEntry;
import dev.sandglass.wire.tar.TarReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/** Unpacks an archive from a sandbox into a directory of ours, and nowhere else. Links that lead out are left out. */
public final class Unpacker {
    private static final long MAX_ENTRIES = 5_000_000;
    /** What names may take of this program's memory, which is 512 MB in all. */
    private static final long MAX_NAMES = 256 << 20;
    /** What a name takes beside its bytes. */
    private static final long PER_NAME = 128;
    private static final long KEEP_FREE = 64 << 20;

    private final Path root;
    private final LongConsumer progress;
    private final Runnable begun;
    private final long maxNames;
    private final Set<Path> directories = new HashSet<>();
    private final Set<Path> files = new HashSet<>();
    private final Map<Path, TarEntry> finished = new LinkedHashMap<>();
    private final List<String> leftOut = new ArrayList<>();
    private final List<String> withoutSetId = new ArrayList<>();
    private final byte[] buffer = new byte[1 << 16];
    private long entries;
    private long names;
    private long bytes;
    private long room;

    /**
     * @param progress told the bytes of files as they are written
     * @param begun told of all that is no directory, when it comes
     */
    public Unpacker(Path root, LongConsumer progress, Runnable begun) {
        this(root, progress, begun, MAX_NAMES);
    }

    Unpacker(Path root, LongConsumer progress, Runnable begun, long maxNames) {
        this.maxNames = maxNames;
        this.root = root;
        this.progress = progress;
        this.begun = begun;
    }

    /** A file of before is there, whole, until the one that replaces it is. */
    public Unpacked unpack(InputStream tar) throws IOException {
        try (Draft draft = new Draft()) {
            return unpack(tar, draft);
        }
    }

    private Unpacked unpack(InputStream tar, Draft draft) throws IOException {
        room = Files.getFileStore(root).getUsableSpace() - KEEP_FREE;
        TarReader reader = new TarReader(tar);
        for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
            if (++entries > MAX_ENTRIES) {
                throw Names.refused(entry.name(), "more than " + MAX_ENTRIES + " entries");
            }
            names += PER_NAME + entry.name().length() + entry.link().length();
            if (names > maxNames) {
                throw new SandglassException(
                        ErrorCode.ARCHIVE_REFUSED,
                        "There are too many names to keep in mind: " + entries + " so far",
                        "Copy it in parts, or with `sandglass exec SANDBOX -- tar -c DIRECTORY` into a tar of your own.");
            }
            if (entry.kind() != TarEntry.Kind.DIRECTORY) {
                begun.run();
            }
            add(entry, reader, draft);
        }
        // Last, and from the deepest on: what is put into a directory changes its time, and a mode may forbid it.
        List<Map.Entry<Path, TarEntry>> rest = new ArrayList<>(finished.entrySet());
        rest.sort(Comparator.comparingInt(entry -> -entry.getKey().getNameCount()));
        for (Map.Entry<Path, TarEntry> directory : rest) {
            finish(directory.getKey(), directory.getValue(), LinkOption.NOFOLLOW_LINKS);
        }
        return new Unpacked(entries, bytes);
    }

    /** What was not unpacked: devices, FIFOs, and links that lead out. */
    public List<String> leftOut() {
        return leftOut;
    }

    /** What lost its set-id bits. */
    public List<String> withoutSetId() {
        return withoutSetId;
    }

    private void add(TarEntry entry, TarReader reader, Draft draft) throws IOException {
        List<String> components = Names.components(entry.name());
        if (components.isEmpty()) {
            return;
        }
        Path parent = directory(components.subList(0, components.size() - 1), 0755);
        Path path = parent.resolve(RawName.path(components.get(components.size() - 1)));
        switch (entry.kind()) {
            case DIRECTORY -> finished.put(directory(components, entry.mode()), entry);
            case FILE -> file(path, entry, reader, draft);
            case HARD_LINK -> {
                Path target = root;
                for (String component : Names.components(entry.link())) {
                    target = target.resolve(RawName.path(component));
                }
                if (files.contains(target)) {
                    replace(path);
                    Files.createLink(path, target);
                    files.add(path);
                } else {
                    leftOut.add(RawName.shown(entry.name() + " (hard link to " + entry.link() + ")"));
                }
            }
            case SYMBOLIC_LINK -> {
                if (Names.staysInside(entry.link(), components.size() - 1)) {
                    replace(path);
                    Files.createSymbolicLink(path, RawName.path(entry.link()));
                    time(path, entry);
                } else {
                    leftOut.add(RawName.shown(entry.name() + " -> " + entry.link()));
                }
            }
            case FIFO, CHARACTER_DEVICE, BLOCK_DEVICE, OTHER -> leftOut.add(RawName.shown(entry.name()) + " (neither file, directory nor link)");
        }
    }

    private void file(Path path, TarEntry entry, TarReader reader, Draft draft) throws IOException {
        if (entry.size() > room) {
            throw new SandglassException(
                    ErrorCode.DISK_FULL,
                    "There is no room for " + RawName.shown(entry.name()) + " (" + entry.size() + " bytes)",
                    "Free some space, or copy to another place.");
        }
        room -= entry.size();
        requireNoDirectory(path);
        try (OutputStream out = draft.begin(path, entry.mode())) {
            for (int count = reader.read(buffer); count >= 0; count = reader.read(buffer)) {
                out.write(buffer, 0, count);
                bytes += count;
                progress.accept(count);
            }
        }
        draft.finish(path, whole -> finish(whole, entry, LinkOption.NOFOLLOW_LINKS));
        files.add(path);
    }

    /** The directory with those components, made where it is missing; a link on the way is not followed. */
    private Path directory(List<String> components, int mode) throws IOException {
        Path path = root;
        for (String component : components) {
            path = path.resolve(RawName.path(component));
            if (directories.contains(path)) {
                continue;
            }
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(path, Permissions.attribute(mode | 0700));
            } else if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new SandglassException(
                        ErrorCode.PATH_EXISTS,
                        path + " is in the way: it is no directory, and links are not followed",
                        "Remove it, or copy to another place.");
            }
            directories.add(path);
        }
        return path;
    }

    /** Makes way for a link. */
    private void replace(Path path) throws IOException {
        requireNoDirectory(path);
        Files.deleteIfExists(path);
        files.remove(path);
    }

    private static void requireNoDirectory(Path path) {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new SandglassException(
                    ErrorCode.PATH_EXISTS, path + " is in the way: it is a directory", "Remove it, or copy to another place.");
        }
    }

    private void finish(Path path, TarEntry entry, LinkOption... options) throws IOException {
        if (Permissions.hasSetId(entry.mode())) {
            withoutSetId.add(RawName.shown(entry.name()));
        }
        Permissions.set(path, entry.mode(), options);
        time(path, entry);
    }

    private static void time(Path path, TarEntry entry) throws IOException {
        Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(ModificationTime.settable(entry.modifiedAt()), null, null);
    }
}
