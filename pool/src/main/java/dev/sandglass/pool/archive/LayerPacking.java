package dev.sandglass.pool.archive;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.oci.Refusal;
import dev.sandglass.linux.OpenFile;
import dev.sandglass.pool.manifest.Walk;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Writes the upper directory of an overlay as a layer of an image. What an overlay has for something that is gone becomes the files that say so there. What Sandglass itself wrote to
 * tell a sandbox who it is, and whom to trust here, is left out. For one run; not thread-safe.
 */
final class LayerPacking {
    private static final int PIECE = 256 * 1024;
    private static final String OPAQUE = "trusted.overlay.opaque";
    private static final Set<String> OURS = Set.of(
            "etc/hostname", "etc/hosts", "etc/resolv.conf", "etc/machine-id", "etc/sandglass", "etc/sandglass/authority", "usr/local/share/ca-certificates/sandglass-gateway.crt");
    private static final String IDENTITY = "run/sandglass";
    private static final String BUNDLE = "etc/ssl/certs/ca-certificates.crt";
    /** From here on the bundle has the certificate of the sandbox's own gateway. */
    private static final byte[] MARK = "# The gateway of this sandbox\n".getBytes(StandardCharsets.US_ASCII);
    private static final long MOST_BUNDLE = 8 << 20;
    /** Bytes of memory for the names of files that have several. */
    private static final long MOST_NAMES = 64 << 20;
    /** What each takes beside its characters. */
    private static final int OF_A_NAME = 128;

    private final BoundedTarget target;
    private final PaxWriter writer;
    private final ByteBuffer direct = ByteBuffer.allocateDirect(PIECE);
    /** The names of files that have several, by the number of their entry. */
    private final Map<Long, String> linked = new HashMap<>();
    private long entries;
    private long remembered;

    private LayerPacking(BoundedTarget target) {
        this.target = target;
        this.writer = new PaxWriter(target);
    }

    /** @param most bytes of the archive: a file may be told to be much larger than any disk */
    static void run(Path tree, OutputStream target, long most) throws IOException {
        LayerPacking packing = new LayerPacking(new BoundedTarget(target, most));
        new Walk(packing::visit).root("upper", tree);
        packing.writer.finish();
    }

    private void visit(ManifestEntry entry, Walk.Place place) throws IOException {
        long number = entries++;
        String path = name(place.path().subList(1, place.path().size()));
        if (isOurs(path)) {
            return;
        }
        PaxWriter.Facts facts = new PaxWriter.Facts(path.isEmpty() ? "." : path, entry.permissions(), entry.uid(), entry.gid(), entry.modifiedSeconds(), attributes(entry));
        switch (entry.content()) {
            case EntryContent.Directory _ -> {
                writer.entry('5', facts.named(facts.name() + "/"), "", 0);
                if (isOpaque(entry) && !path.isEmpty()) {
                    writer.entry('0', facts.mark(path + "/.wh..wh..opq"), "", 0);
                }
            }
            case EntryContent.Device(boolean block, int major, int minor) -> {
                if (!block && major == 0 && minor == 0) {
                    writer.entry('0', facts.mark(beside(path)), "", 0);
                }
            }
            case EntryContent.SymbolicLink(Bytes link) -> writer.entry('2', facts, text(link), 0);
            case EntryContent.Fifo _ -> writer.entry('6', facts, "", 0);
            case EntryContent.Socket _ -> {} // nobody listens there any more
            case EntryContent.HardLink(long first) -> {
                String target = linked.get(first);
                if (target != null) {
                    writer.entry('1', facts, target, 0);
                }
            }
            case EntryContent.RegularFile(long size, _) -> {
                try (OpenFile file = place.directory().file(place.name().toArray())) {
                    content(file, size, facts);
                }
                if (place.directory().facts(place.name().toArray()).links() > 1) {
                    keep(number, path);
                }
            }
        }
    }

    /** What a runtime mounts over is in the layer on some, with nothing in it. */
    private static boolean isOurs(String path) {
        return OURS.contains(path) || path.equals(IDENTITY) || path.startsWith(IDENTITY + "/");
    }

    private void keep(long number, String path) {
        remembered += path.length() + OF_A_NAME;
        if (remembered > MOST_NAMES) {
            throw Refusal.ofDisk("it has more files with several names than can be told");
        }
        linked.put(number, path);
    }

    private void content(OpenFile file, long size, PaxWriter.Facts facts) throws IOException {
        if (facts.name().equals(BUNDLE) && size <= MOST_BUNDLE) {
            byte[] all = new byte[(int) size];
            int filled = 0;
            for (ByteBuffer piece = file.read(direct, 0, size); piece.hasRemaining(); piece = file.read(direct, filled, size - filled)) {
                int count = piece.remaining();
                piece.get(all, filled, count);
                filled += count;
                if (filled == size) {
                    break;
                }
            }
            byte[] kept = before(all);
            writer.entry('0', facts, "", kept.length);
            writer.content(kept, 0, kept.length);
            writer.pad(kept.length);
            return;
        }
        target.require(size);
        writer.entry('0', facts, "", size);
        byte[] heap = new byte[PIECE];
        for (long at = 0; at < size; ) {
            ByteBuffer piece = file.read(direct, at, Math.min(PIECE, size - at));
            int count = piece.remaining();
            if (count == 0) {
                throw new IOException(facts.name() + " became shorter");
            }
            piece.get(heap, 0, count);
            writer.content(heap, 0, count);
            at += count;
        }
        writer.pad(size);
    }

    private static byte[] before(byte[] bundle) {
        String text = new String(bundle, StandardCharsets.ISO_8859_1);
        int mark = text.indexOf(new String(MARK, StandardCharsets.ISO_8859_1));
        return (mark < 0 ? text : text.substring(0, mark)).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String beside(String path) {
        int slash = path.lastIndexOf('/') + 1;
        return path.substring(0, slash) + ".wh." + path.substring(slash);
    }

    private static boolean isOpaque(ManifestEntry entry) {
        return entry.attributes().containsKey(Bytes.of(OPAQUE));
    }

    private static Map<String, String> attributes(ManifestEntry entry) {
        Map<String, String> kept = new TreeMap<>();
        entry.attributes().forEach((name, value) -> {
            String text = text(name);
            if (text.startsWith("user.") || text.equals("security.capability")) {
                kept.put(text, text(value));
            }
        });
        return kept;
    }

    private static String name(List<Bytes> path) {
        return path.stream().map(LayerPacking::text).collect(Collectors.joining("/"));
    }

    private static String text(Bytes raw) {
        return new String(raw.toArray(), StandardCharsets.ISO_8859_1);
    }
}
