package dev.sandglass.pool.archive;

import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.HostFacts;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What of a file goes into a snapshot's file, and what may come out of one. Stateless. */
final class Portability {
    private static final HostFacts NOWHERE = new HostFacts(0, 0, 0);
    private static final String OVERLAY = "trusted.overlay.";
    /** How an overlay in an overlay keeps its own. */
    private static final String INNER_OVERLAY = "trusted.overlay.overlay.";

    private static final String OPAQUE = "trusted.overlay.opaque";
    private static final Bytes YES = Bytes.of("y");

    private Portability() {}

    /** The entry without what is true on this machine only. */
    static ManifestEntry of(ManifestEntry entry) {
        Map<Bytes, Bytes> attributes = entry.attributes();
        if (!attributes.isEmpty()) {
            attributes = new TreeMap<>(attributes);
            attributes.entrySet().removeIf(attribute -> !isKept(entry, attribute));
        }
        return new ManifestEntry(
                entry.depth(),
                entry.name(),
                entry.content(),
                entry.permissions(),
                entry.uid(),
                entry.gid(),
                entry.modifiedSeconds(),
                entry.modifiedNanos(),
                attributes,
                NOWHERE);
    }

    /** An overlay's own attributes speak of the layers below on this machine, all but the one that says that nothing below shows. */
    private static boolean isKept(ManifestEntry entry, Map.Entry<Bytes, Bytes> attribute) {
        String name = new String(attribute.getKey().toArray(), StandardCharsets.ISO_8859_1);
        if (name.equals(OPAQUE)) {
            return entry.isDirectory() && attribute.getValue().equals(YES);
        }
        return name.indexOf('\0') < 0
                && (name.startsWith("user.")
                        || name.equals("security.capability")
                        || name.equals("system.posix_acl_access")
                        || name.equals("system.posix_acl_default")
                        || (name.startsWith("trusted.") && (!name.startsWith(OVERLAY) || name.startsWith(INNER_OVERLAY))));
    }

    /** Refuses an entry that no export has. */
    static void require(ManifestEntry entry, List<Bytes> path) {
        switch (entry.content()) {
            case EntryContent.Device(boolean block, int major, int minor) when block || major != 0 || minor != 0 ->
                throw refused(path, "it is a device");
            case EntryContent.SymbolicLink(Bytes target) when target.length() == 0 || hasZero(target) -> throw refused(path, "it leads nowhere");
            case EntryContent.RegularFile _,
                    EntryContent.HardLink _,
                    EntryContent.SymbolicLink _,
                    EntryContent.Directory _,
                    EntryContent.Device _,
                    EntryContent.Fifo _,
                    EntryContent.Socket _ -> {}
        }
        if (entry.uid() == -1 || entry.gid() == -1) {
            throw refused(path, "its owner is nobody that can be");
        }
        for (Map.Entry<Bytes, Bytes> attribute : entry.attributes().entrySet()) {
            if (!isKept(entry, attribute)) {
                throw refused(path, "attribute " + attribute.getKey());
            }
        }
    }

    private static boolean hasZero(Bytes text) {
        for (byte each : text.toArray()) {
            if (each == 0) {
                return true;
            }
        }
        return false;
    }

    static SandglassException refused(List<Bytes> path, String what) {
        return ArchiveFormat.refused(String.join("/", path.stream().map(Bytes::toString).toList()) + ": " + what);
    }
}
