package dev.sandglass.engine.manifest;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * One file of a snapshot. Entries stand in the order of a walk: a directory, then all below it, names by their bytes.
 *
 * @param depth how many directories it lies in; a root of the snapshot has 0
 * @param name the last part of its path
 * @param permissions with set-uid, set-gid and sticky
 * @param attributes extended ones
 */
public record ManifestEntry(
        int depth,
        Bytes name,
        EntryContent content,
        int permissions,
        int uid,
        int gid,
        long modifiedSeconds,
        int modifiedNanos,
        Map<Bytes, Bytes> attributes,
        HostFacts host) {
    public ManifestEntry {
        attributes = Collections.unmodifiableMap(new TreeMap<>(attributes));
    }

    public boolean isDirectory() {
        return content instanceof EntryContent.Directory;
    }

    /** The same with another content. */
    public ManifestEntry with(EntryContent other) {
        return new ManifestEntry(depth, name, other, permissions, uid, gid, modifiedSeconds, modifiedNanos, attributes, host);
    }
}
