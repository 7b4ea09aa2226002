package dev.sandglass.pool.manifest;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.HostFacts;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.linux.ExtendedAttribute;
import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.NameRoom;
import dev.sandglass.linux.OpenDirectory;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Goes through the directories of a snapshot in the order of a manifest, with one descriptor open however deep they are. Not
 * thread-safe.
 */
public final class Walk {
    /** Deeper than a program can name with one path. */
    private static final int DEPTH = 4096;
    /** Names of a path that is too long to be shown. */
    private static final int SHOWN = 4;

    private static final Bytes UNKNOWN = Bytes.of(new byte[32]);

    /** Takes what is found; a regular file's hash is still to be found, while its directory is open. */
    public interface Visitor {
        void visit(ManifestEntry entry, Place place) throws IOException;
    }

    /** Where an entry is: its directory, its name there, and the path in the manifest. */
    public record Place(OpenDirectory directory, Bytes name, List<Bytes> path) {}

    /** @param heldBefore what the walk held of names before those of this one */
    private record Level(Iterator<byte[]> names, long inode, long heldBefore) {}

    private final Visitor visitor;
    private final Map<Long, Long> linked = new HashMap<>();
    private final Deque<Level> levels = new ArrayDeque<>();
    private final List<Bytes> path = new ArrayList<>();
    private final Supplier<NameRoom> rooms;
    /** For names, and for the numbers of files that have several; both of the present root. */
    private NameRoom room;

    private NameRoom linkedRoom;
    private long entries;

    public Walk(Visitor visitor) {
        this(visitor, NameRoom::new);
    }

    Walk(Visitor visitor, Supplier<NameRoom> rooms) {
        this.visitor = visitor;
        this.rooms = rooms;
        this.room = rooms.get();
        this.linkedRoom = rooms.get();
    }

    /** Visits a root and all below it. */
    public void root(String name, Path root) throws IOException {
        linked.clear(); // inode numbers are those of one filesystem
        path.clear();
        try (NameRoom names = rooms.get();
                NameRoom links = rooms.get();
                Innermost innermost = new Innermost(OpenDirectory.of(root))) {
            room = names;
            linkedRoom = links;
            FileFacts facts = innermost.directory.facts();
            path.add(Bytes.of(name));
            visit(innermost.directory, facts, new EntryContent.Directory(), attributes(innermost.directory.attributes()));
            enter(innermost.directory, facts);
            while (!levels.isEmpty()) {
                step(innermost);
            }
        } finally {
            levels.clear();
        }
    }

    private void enter(OpenDirectory directory, FileFacts facts) throws IOException {
        long before = room.held();
        levels.push(new Level(directory.names(room).iterator(), facts.inode(), before));
    }

    /** Visits one entry of the innermost directory, or leaves it. */
    private void step(Innermost innermost) throws IOException {
        OpenDirectory directory = innermost.directory;
        Level level = levels.element();
        if (!level.names.hasNext()) {
            room.backTo(levels.pop().heldBefore);
            path.removeLast();
            if (!levels.isEmpty()) {
                innermost.become(directory.parent(levels.element().inode));
            }
            return;
        }
        byte[] name = level.names.next();
        FileFacts facts = directory.facts(name);
        path.add(Bytes.of(name));
        visit(directory, facts, content(directory, name, facts), attributes(directory.attributes(name)));
        if (!facts.isDirectory()) {
            path.removeLast();
            return;
        }
        if (levels.size() >= DEPTH) {
            throw new SandglassException(
                    ErrorCode.LIMIT_REACHED,
                    "There are more than " + DEPTH + " directories in one another, from " + Paths.text(path.subList(0, SHOWN)) + " on.",
                    "Remove them, or move the innermost ones up.");
        }
        innermost.become(directory.child(name));
        enter(innermost.directory, facts);
    }

    /** The one directory that is open, whatever happens. */
    private static final class Innermost implements AutoCloseable {
        private OpenDirectory directory;

        Innermost(OpenDirectory directory) {
            this.directory = directory;
        }

        void become(OpenDirectory other) throws IOException {
            OpenDirectory left = directory;
            directory = other;
            left.close();
        }

        @Override
        public void close() throws IOException {
            directory.close();
        }
    }

    private void visit(OpenDirectory directory, FileFacts facts, EntryContent content, Map<Bytes, Bytes> attributes)
            throws IOException {
        Bytes name = path.getLast();
        ManifestEntry entry = new ManifestEntry(
                path.size() - 1,
                name,
                content,
                facts.mode() & 07777,
                facts.uid(),
                facts.gid(),
                facts.modifiedSeconds(),
                facts.modifiedNanos(),
                attributes,
                new HostFacts(facts.inode(), facts.changedSeconds(), facts.changedNanos()));
        visitor.visit(entry, new Place(directory, name, path));
        entries++;
    }

    private EntryContent content(OpenDirectory directory, byte[] name, FileFacts facts) throws IOException {
        if (!facts.isDirectory() && facts.links() > 1) {
            Long first = linked.putIfAbsent(facts.inode(), entries);
            if (first != null) {
                return new EntryContent.HardLink(first);
            }
            linkedRoom.take(NameRoom.EACH);
        }
        return switch (facts.type()) {
            case FileFacts.DIRECTORY -> new EntryContent.Directory();
            case FileFacts.REGULAR -> new EntryContent.RegularFile(facts.size(), UNKNOWN);
            case FileFacts.LINK -> new EntryContent.SymbolicLink(Bytes.of(directory.linkTarget(name)));
            case FileFacts.BLOCK, FileFacts.CHARACTER ->
                new EntryContent.Device(facts.type() == FileFacts.BLOCK, facts.major(), facts.minor());
            case FileFacts.FIFO -> new EntryContent.Fifo();
            case FileFacts.SOCKET -> new EntryContent.Socket();
            default -> throw new IOException("mode: " + Integer.toOctalString(facts.mode()));
        };
    }

    private static Map<Bytes, Bytes> attributes(List<ExtendedAttribute> found) {
        if (found.isEmpty()) {
            return Map.of();
        }
        Map<Bytes, Bytes> attributes = new TreeMap<>();
        for (ExtendedAttribute attribute : found) {
            attributes.put(Bytes.of(attribute.name()), Bytes.of(attribute.value()));
        }
        return attributes;
    }
}
