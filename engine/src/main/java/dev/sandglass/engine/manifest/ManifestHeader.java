package dev.sandglass.engine.manifest;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What stands before the entries of a manifest.
 *
 * @param facts what the files belong to and where they can be used, as key and value: see {@link Facts}
 * @param states for each root, what tells on this machine only that nothing in it changed; counts for no digest
 */
public record ManifestHeader(Map<String, String> facts, Map<String, String> states) {
    public ManifestHeader {
        facts = Collections.unmodifiableMap(new TreeMap<>(facts));
        states = Collections.unmodifiableMap(new TreeMap<>(states));
    }
}
