package dev.sandglass.pool.archive;

import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.manifest.ManifestReader;
import dev.sandglass.linux.ErrnoException;
import dev.sandglass.linux.ExtendedAttribute;
import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.NewFile;
import dev.sandglass.linux.NewFiles;
import dev.sandglass.linux.OpenDirectory;
import dev.sandglass.linux.Trees;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Makes a tree of a portable manifest and a stream. A directory gets its owner, mode, attributes and time when all in it is made. One
 * directory is open at a time, however deep they are. For one run; not thread-safe.
 */
final class Unpacking {
    /** What directories may keep of attributes until they are left, all that are entered together. */
    private static final long ATTRIBUTE_BYTES = 16 << 20;
    /** What the kernel says of names, targets and attributes that cannot be; anything else is the host's trouble. */
    private static final Set<Integer> IMPOSSIBLE = Set.of(1, 2, 7, 13, 17, 20, 22, 31, 34, 36, 40, 61, 95);

    private record Level(ManifestEntry entry, long inode, long attributeBytes) {}

    private final DataInputStream input;
    private final ManifestReader manifest;
    private final Path tree;
    private final Budget budget;
    private final Extents extents = new Extents();
    private final Deque<Level> levels = new ArrayDeque<>();
    /** The entries of which others are further names, and where they are found: beside everything else, under a name that nobody guesses. */
    private final BitSet linked;

    private final Path linksPath;
    private OpenDirectory directory;
    private final OpenDirectory links;
    private long attributeBytes;
    private int entries;

    private Unpacking(DataInputStream input, ManifestReader manifest, BitSet linked, Path tree, Budget budget) throws IOException {
        this.input = input;
        this.manifest = manifest;
        this.linked = linked;
        this.tree = tree;
        this.budget = budget;
        byte[] name = (".links-" + UUID.randomUUID()).getBytes(StandardCharsets.US_ASCII);
        this.linksPath = tree.resolve(new String(name, StandardCharsets.US_ASCII));
        this.directory = OpenDirectory.of(tree);
        this.links = NewFiles.directory(directory, name);
    }

    static void run(DataInputStream input, Path portable, Path tree, Budget budget) throws IOException {
        BitSet linked = linked(portable);
        try (ManifestReader manifest = ManifestReader.open(portable)) {
            Unpacking unpacking = new Unpacking(input, manifest, linked, tree, budget);
            try {
                unpacking.run();
            } finally {
                unpacking.directory.close();
                unpacking.links.close();
            }
        }
    }

    private static BitSet linked(Path portable) throws IOException {
        BitSet linked = new BitSet();
        try (ManifestReader manifest = ManifestReader.open(portable)) {
            for (Optional<ManifestEntry> entry = manifest.next(); entry.isPresent(); entry = manifest.next()) {
                if (entry.get().content() instanceof EntryContent.HardLink(long first)) {
                    linked.set(Math.toIntExact(first));
                }
            }
        }
        return linked;
    }

    private void run() throws IOException {
        for (Optional<ManifestEntry> next = manifest.next(); next.isPresent(); next = manifest.next()) {
            ManifestEntry entry = next.get();
            if (entry.depth() == 0 && (entries > 0 || !entry.isDirectory())) {
                throw refused("it is not the one directory that holds all");
            }
            while (levels.size() > entry.depth()) {
                leave();
            }
            budget.takeEntry(entry.name().length(), ownBytes(entry));
            try {
                make(entry);
            } catch (ErrnoException problem) {
                if (isImpossible(problem)) {
                    throw refused(String.valueOf(problem.getMessage()));
                }
                throw problem;
            }
            entries++;
        }
        if (entries == 0) {
            throw ArchiveFormat.refused("a part is empty");
        }
        while (!levels.isEmpty()) {
            leave();
        }
    }

    private void make(ManifestEntry entry) throws IOException {
        byte[] name = entry.name().toArray();
        switch (entry.content()) {
            case EntryContent.Directory _ -> {
                enter(entry, name);
                return;
            }
            case EntryContent.HardLink(long first) -> {
                if (!NewFiles.hardLink(links, link(first), directory, name)) {
                    throw refused("it is one more name of something that has none");
                }
                return;
            }
            case EntryContent.RegularFile file -> fill(file, name);
            case EntryContent.SymbolicLink(Bytes target) -> NewFiles.symbolicLink(directory, name, target.toArray());
            case EntryContent.Device _, EntryContent.Fifo _, EntryContent.Socket _ -> NewFiles.node(directory, name, facts(entry));
        }
        NewFiles.dress(directory, name, facts(entry), attributes(entry));
        if (linked.get(entries)) {
            NewFiles.hardLink(directory, name, links, link(entries));
        }
    }

    private void fill(EntryContent.RegularFile content, byte[] name) throws IOException {
        try (NewFile file = NewFiles.file(directory, name)) {
            extents.receive(input, content, manifest.path(), (piece, offset) -> {
                budget.take(piece.remaining());
                file.write(piece, offset);
            });
            if (content.size() > 0) {
                file.size(content.size());
            }
        }
    }

    private void enter(ManifestEntry entry, byte[] name) throws IOException {
        long itsBytes = attributeBytes(entry);
        attributeBytes += itsBytes;
        if (attributeBytes > ATTRIBUTE_BYTES) {
            throw refused("directories with too many attributes");
        }
        if (!levels.isEmpty()) {
            OpenDirectory child = NewFiles.directory(directory, name);
            directory.close();
            directory = child;
        }
        levels.push(new Level(entry, directory.facts().inode(), itsBytes));
    }

    private void leave() throws IOException {
        Level level = levels.pop();
        attributeBytes -= level.attributeBytes;
        if (levels.isEmpty()) {
            Trees.remove(linksPath);
            dressRoot(tree, level.entry);
            return;
        }
        OpenDirectory parent = directory.parent(levels.element().inode);
        directory.close();
        directory = parent;
        NewFiles.dress(directory, level.entry.name().toArray(), facts(level.entry), attributes(level.entry));
    }

    private RuntimeException refused(String what) {
        return Portability.refused(manifest.path(), what);
    }

    private static byte[] link(long entry) {
        return Long.toString(entry).getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether the kernel says of something that it cannot be, whatever the host's state. */
    static boolean isImpossible(ErrnoException problem) {
        return IMPOSSIBLE.contains(problem.errno());
    }

    static void dressRoot(Path tree, ManifestEntry entry) throws IOException {
        try (OpenDirectory above = OpenDirectory.of(Optional.ofNullable(tree.getParent()).orElseThrow())) {
            NewFiles.dress(above, String.valueOf(tree.getFileName()).getBytes(StandardCharsets.UTF_8), facts(entry), attributes(entry));
        }
    }

    static FileFacts facts(ManifestEntry entry) {
        int type =
                switch (entry.content()) {
                    case EntryContent.Directory _ -> FileFacts.DIRECTORY;
                    case EntryContent.RegularFile _, EntryContent.HardLink _ -> FileFacts.REGULAR;
                    case EntryContent.SymbolicLink _ -> FileFacts.LINK;
                    case EntryContent.Device _ -> FileFacts.CHARACTER;
                    case EntryContent.Fifo _ -> FileFacts.FIFO;
                    case EntryContent.Socket _ -> FileFacts.SOCKET;
                };
        return new FileFacts(
                type | entry.permissions(), entry.uid(), entry.gid(), 0, entry.modifiedSeconds(), entry.modifiedNanos(), 0, 0, 0, 1, 0, 0, 0);
    }

    /** What an entry has beside its name and the content of a regular file. */
    static long ownBytes(ManifestEntry entry) {
        long target = entry.content() instanceof EntryContent.SymbolicLink(Bytes link) ? link.length() : 0;
        return target + attributeBytes(entry);
    }

    static long attributeBytes(ManifestEntry entry) {
        long bytes = 0;
        for (Map.Entry<Bytes, Bytes> attribute : entry.attributes().entrySet()) {
            bytes += attribute.getKey().length() + attribute.getValue().length();
        }
        return bytes;
    }

    static List<ExtendedAttribute> attributes(ManifestEntry entry) {
        List<ExtendedAttribute> attributes = new ArrayList<>();
        entry.attributes().forEach((name, value) ->
                attributes.add(ExtendedAttribute.of(new String(name.toArray(), StandardCharsets.ISO_8859_1), value.toArray())));
        return attributes;
    }
}
