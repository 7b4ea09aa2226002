package dev.sandglass.pool.manifest;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.HostFacts;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.linux.ExtendedAttribute;
import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.OpenDirectory;
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

/**
 * Goes through the directories of a snapshot in the order of a manifest, with one descriptor open however deep they are. Not
 * thread-safe.
 */
public final class Walk {
    /** Deeper than a program can name with one path. */
    private static final int DEPTH = 4096;

    private static final Bytes UNKNOWN = Bytes.of(new byte[32]);

    /** Takes what is found; a regular file's hash is still to be found, while its directory is open. */
    public interface Visitor {
        void visit(ManifestEntry entry, Place place) throws IOException;
    }

    /** Where an entry is: its directory, its name there, and the path in the manifest. */
    public record Place(OpenDirectory directory, Bytes name, List<Bytes> path) {}

    private record Level(Iterator<byte[]> names, long inode) {}

    private final Visitor visitor;
    private final Map<Long, Long> linked = new HashMap<>();
    private final Deque<Level> levels = new ArrayDeque<>();
    private final List<Bytes> path = new ArrayList<>();
    private long entries;

    public Walk(Visitor visitor) {
        this.visitor = visitor;
    }

    /** Visits a root and all below it. */
    public void root(String name, Path root) throws IOException {
        linked.clear(); // inode numbers are those of one filesystem
        path.clear();
        OpenDirectory directory = OpenDirectory.of(root);
        try {
            FileFacts facts = directory.facts();
            path.add(Bytes.of(name));
            visit(directory, facts, new EntryContent.Directory(), attributes(directory.attributes()));
            levels.push(new Level(directory.names().iterator(), facts.inode()));
            while (!levels.isEmpty()) {
                directory = step(directory);
            }
        } finally {
            levels.clear();
            directory.close();
        }
    }

    /** Visits one entry of the innermost directory, or leaves it; gives the directory that is innermost then. */
    private OpenDirectory step(OpenDirectory directory) throws IOException {
        Level level = levels.element();
        if (!level.names.hasNext()) {
            levels.pop();
            path.removeLast();
            if (levels.isEmpty()) {
                return directory;
            }
            OpenDirectory parent = directory.parent(levels.element().inode);
            directory.close();
            return parent;
        }
        byte[] name = level.names.next();
        FileFacts facts = directory.facts(name);
        path.add(Bytes.of(name));
        visit(directory, facts, content(directory, name, facts), attributes(directory.attributes(name)));
        if (!facts.isDirectory()) {
            path.removeLast();
            return directory;
        }
        if (levels.size() >= DEPTH) {
            throw new IOException("directories in directories: more than " + DEPTH);
        }
        OpenDirectory child = directory.child(name);
        directory.close();
        levels.push(new Level(child.names().iterator(), facts.inode()));
        return child;
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
