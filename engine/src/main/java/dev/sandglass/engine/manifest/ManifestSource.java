package dev.sandglass.engine.manifest;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The files that a manifest is about.
 *
 * @param roots directories by the name that they have in the manifest: {@code upper} for a layer's, {@code memory} for the
 *     runtime's image
 * @param facts kept in the manifest's header
 */
public record ManifestSource(Map<String, Path> roots, Map<String, String> facts) {
    public ManifestSource {
        roots = Collections.unmodifiableMap(new TreeMap<>(roots));
        facts = Collections.unmodifiableMap(new TreeMap<>(facts));
    }
}
