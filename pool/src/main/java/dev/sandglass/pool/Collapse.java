package dev.sandglass.pool;

import dev.sandglass.linux.ExtendedAttribute;
import dev.sandglass.linux.FileFacts;
import dev.sandglass.linux.NameRoom;
import dev.sandglass.linux.NewFiles;
import dev.sandglass.linux.OpenDirectory;
import dev.sandglass.linux.OpenFile;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Merges the {@code upper} directories of layers into a new one by the rules of overlayfs: the topmost entry of a name counts,
 * directories show what all layers have down to an opaque one or to something else of that name, and what hides things of
 * layers further below goes on hiding them. Every step is relative to open directories. For one run; not thread-safe.
 */
final class Collapse {
    private static final String OVERLAY = "trusted.overlay.";
    /** How an overlay in an overlay keeps its own. */
    private static final String INNER_OVERLAY = "trusted.overlay.overlay.";

    private static final String OPAQUE = "trusted.overlay.opaque";
    private static final byte[] UPPER = "upper".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LINKS = "links".getBytes(StandardCharsets.US_ASCII);
    /** Directories that may be open at once. */
    private static final int OPEN = 4096;

    /** A directory of one layer. */
    private record Source(int layer, OpenDirectory directory) {}

    /** A directory that is being made. */
    private static final class Level {
        private final OpenDirectory parent;
        private final byte[] name;
        private final OpenDirectory target;
        private final Merge merge;
        /** Whether nothing of layers further below shows in it. */
        private final boolean hides;

        /** What was held of names before those of this one. */
        private final long heldBefore;

        private final Iterator<Map.Entry<byte[], List<Source>>> entries;

        Level(OpenDirectory parent, byte[] name, OpenDirectory target, Merge merge, boolean hides, Map<byte[], List<Source>> entries, long heldBefore) {
            this.heldBefore = heldBefore;
            this.parent = parent;
            this.name = name;
            this.target = target;
            this.merge = merge;
            this.hides = hides;
            this.entries = entries.entrySet().iterator();
        }
    }

    private final OpenDirectory layer;
    private final OpenDirectory links;
    private final Deque<Level> levels = new ArrayDeque<>();
    private final NameRoom room;
    private int open;

    private Collapse(OpenDirectory layer, OpenDirectory links, NameRoom room) {
        this.room = room;
        this.layer = layer;
        this.links = links;
    }

    /** Makes the merged directory in the new layer's own, which is empty. */
    static void run(List<Path> uppers, Path layer) throws IOException {
        try (OpenDirectory directory = OpenDirectory.of(layer);
                OpenDirectory links = NewFiles.directory(directory, LINKS);
                NameRoom room = new NameRoom()) {
            Collapse collapse = new Collapse(directory, links, room);
            try {
                collapse.start(uppers);
                while (!collapse.levels.isEmpty()) {
                    collapse.step();
                }
            } finally {
                collapse.close();
            }
        }
        Trees.remove(layer.resolve("links"));
    }

    private void start(List<Path> uppers) throws IOException {
        Merge merge = new Merge();
        try {
            for (Path upper : uppers) {
                if (!merge.opaque) {
                    merge.add(new Source(merge.sources.size(), OpenDirectory.of(upper)));
                }
            }
            enter(layer, UPPER, merge, false);
        } catch (IOException | RuntimeException problem) {
            merge.close();
            throw problem;
        }
    }

    private void step() throws IOException {
        Level level = levels.element();
        if (!level.entries.hasNext()) {
            leave(level);
            return;
        }
        Map.Entry<byte[], List<Source>> entry = level.entries.next();
        byte[] name = entry.getKey();
        List<Source> owners = entry.getValue();
        Source top = owners.getFirst();
        FileFacts facts = top.directory.facts(name);
        if (facts.isDirectory()) {
            descend(level, name, owners);
        } else if (!facts.isWhiteout() || !level.hides) {
            make(level.target, name, top, facts);
        }
    }

    private void descend(Level level, byte[] name, List<Source> owners) throws IOException {
        Merge merge = new Merge();
        try {
            for (Source owner : owners) {
                if (merge.opaque) {
                    break;
                }
                if (owner.directory.facts(name).isDirectory()) {
                    merge.add(new Source(owner.layer, owner.directory.child(name)));
                } else {
                    merge.opaque = true; // it hid what lies below it, and the directory that came over it goes on doing so
                }
            }
            enter(level.target, name, merge, level.hides);
        } catch (IOException | RuntimeException problem) {
            merge.close();
            throw problem;
        }
    }

    private void enter(OpenDirectory parent, byte[] name, Merge merge, boolean hidden) throws IOException {
        open += merge.sources.size() + 1;
        if (open > OPEN) {
            throw new SandglassException(
                    ErrorCode.LIMIT_REACHED,
                    "The directories in one another are too many to be merged: " + open + " open (expected: <= " + OPEN + ").",
                    "Remove them, or move the innermost ones up.");
        }
        long heldBefore = room.held();
        TreeMap<byte[], List<Source>> entries = new TreeMap<>(Arrays::compareUnsigned);
        for (Source source : merge.sources) {
            for (byte[] entry : source.directory.names(room)) {
                entries.computeIfAbsent(entry, _ -> new ArrayList<>(1)).add(source);
                room.take(NameRoom.EACH);
            }
        }
        OpenDirectory target = NewFiles.directory(parent, name);
        levels.push(new Level(parent, name, target, merge, hidden || merge.opaque, entries, heldBefore));
    }

    private void leave(Level level) throws IOException {
        OpenDirectory top = level.merge.sources.getFirst().directory;
        List<ExtendedAttribute> attributes = kept(top.attributes());
        if (level.merge.opaque) {
            attributes.add(ExtendedAttribute.of(OPAQUE, new byte[] {'y'}));
        }
        NewFiles.dress(level.parent, level.name, top.facts(), attributes);
        levels.pop();
        close(level);
    }

    private void make(OpenDirectory target, byte[] name, Source source, FileFacts facts) throws IOException {
        if (facts.links() == 1) {
            makeAlone(target, name, source, name, facts);
            return;
        }
        byte[] first = (source.layer + "-" + facts.inode()).getBytes(StandardCharsets.US_ASCII);
        if (!NewFiles.hardLink(links, first, target, name)) {
            makeAlone(links, first, source, name, facts);
            NewFiles.hardLink(links, first, target, name);
        }
    }

    private static void makeAlone(OpenDirectory target, byte[] name, Source source, byte[] original, FileFacts facts)
            throws IOException {
        switch (facts.type()) {
            case FileFacts.REGULAR -> {
                try (OpenFile file = source.directory.file(original)) {
                    NewFiles.copy(file, facts.size(), target, name);
                }
            }
            case FileFacts.LINK -> NewFiles.symbolicLink(target, name, source.directory.linkTarget(original));
            default -> NewFiles.node(target, name, facts);
        }
        NewFiles.dress(target, name, facts, kept(source.directory.attributes(original)));
    }

    /** An overlay's own attributes speak of the layer that they are in. Those that move content elsewhere are never written here. */
    private static List<ExtendedAttribute> kept(List<ExtendedAttribute> attributes) throws IOException {
        List<ExtendedAttribute> kept = new ArrayList<>();
        for (ExtendedAttribute attribute : attributes) {
            if (attribute.hasPrefix(OVERLAY + "redirect") || attribute.hasPrefix(OVERLAY + "metacopy")) {
                throw new IOException("a file refers to another layer (expected: redirect_dir and metacopy off)");
            }
            if (!attribute.hasPrefix(OVERLAY) || attribute.hasPrefix(INNER_OVERLAY)) {
                kept.add(attribute);
            }
        }
        return kept;
    }

    private void close() throws IOException {
        while (!levels.isEmpty()) {
            close(levels.pop());
        }
    }

    private void close(Level level) throws IOException {
        open -= level.merge.sources.size() + 1;
        room.backTo(level.heldBefore);
        level.target.close();
        level.merge.close();
    }

    /** The directories of one path that show, topmost first, and whether they hide what lies below all of them. */
    private static final class Merge {
        private final List<Source> sources = new ArrayList<>();
        private boolean opaque;

        void add(Source source) throws IOException {
            sources.add(source);
            for (ExtendedAttribute attribute : source.directory.attributes()) {
                opaque |= attribute.is(OPAQUE, "y");
            }
        }

        void close() throws IOException {
            for (Source source : sources) {
                source.directory.close();
            }
        }
    }
}
