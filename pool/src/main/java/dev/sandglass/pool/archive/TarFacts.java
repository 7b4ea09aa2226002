package dev.sandglass.pool.archive;

import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.HostFacts;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.wire.tar.TarEntry;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a tar archive's headers say, in the words of a snapshot's file. Stateless. */
final class TarFacts {
    private static final int DEPTH = 1024;
    private static final HostFacts NOWHERE = new HostFacts(0, 0, 0);
    /** What says that content is elsewhere, or is none: it must not be lost on the way, as all else is that speaks of one machine only. */
    private static final List<Bytes> MEANT =
            List.of(Bytes.of("trusted.overlay.redirect"), Bytes.of("trusted.overlay.metacopy"), Bytes.of("trusted.overlay.whiteout"));

    private TarFacts() {}

    /** A directory of which nothing is told: root's, and everybody may look. */
    static ManifestEntry ofUntold(Bytes name) {
        return new ManifestEntry(0, name, new EntryContent.Directory(), 0755, 0, 0, 0, 0, Map.of(), NOWHERE);
    }

    /** The names that lead to an entry; none for the root. */
    static List<Bytes> path(String name) {
        if (name.startsWith("/")) {
            throw ArchiveFormat.refused("a name begins at the root of the host: " + text(name));
        }
        List<Bytes> path = new ArrayList<>();
        for (String part : name.split("/")) {
            if (part.equals("..") || part.indexOf('\0') >= 0 || part.length() > 255) {
                throw ArchiveFormat.refused("a name leads out, or is none: " + text(name));
            }
            if (!part.isEmpty() && !part.equals(".")) {
                path.add(bytes(part));
            }
        }
        if (path.size() > DEPTH) {
            throw ArchiveFormat.refused("directories in directories: more than " + DEPTH);
        }
        return path;
    }

    static ManifestEntry of(TarEntry entry, List<Bytes> path) {
        EntryContent content =
                switch (entry.kind()) {
                    case FILE -> new EntryContent.RegularFile(entry.size(), Bytes.of(new byte[32]));
                    case DIRECTORY -> new EntryContent.Directory();
                    case SYMBOLIC_LINK -> new EntryContent.SymbolicLink(bytes(entry.link()));
                    case HARD_LINK -> new EntryContent.HardLink(0);
                    case FIFO -> new EntryContent.Fifo();
                    case CHARACTER_DEVICE -> new EntryContent.Device(false, entry.major(), entry.minor());
                    case BLOCK_DEVICE, OTHER -> throw Portability.refused(path, "its type is none that can be taken");
                };
        Map<Bytes, Bytes> attributes = new TreeMap<>();
        entry.attributes().forEach((name, value) -> attributes.put(bytes(name), bytes(value)));
        Instant time = entry.modifiedAt();
        ManifestEntry told = new ManifestEntry(
                path.size(),
                path.isEmpty() ? Bytes.of("upper") : path.getLast(),
                content,
                entry.mode(),
                entry.uid(),
                entry.gid(),
                time.getEpochSecond(),
                time.getNano(),
                attributes,
                NOWHERE);
        return MEANT.stream().anyMatch(attributes::containsKey) ? told : Portability.of(told);
    }

    private static Bytes bytes(String raw) {
        return Bytes.of(raw.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String text(String raw) {
        return bytes(raw.substring(0, Math.min(raw.length(), 300))).toString();
    }
}
