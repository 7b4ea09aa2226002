package dev.sandglass.engine.manifest;

import java.util.Map;
import java.util.TreeMap;

/** What a manifest says beside its files: what they belong to, and where they can be used. The first that is not so is refused by its name. */
public final class Facts {
    private static final String ARCHITECTURE = "architecture";
    private static final String IMAGE = "image";
    private static final String NOTHING = "nothing";

    private Facts() {}

    /** The processors for which programs here are made. */
    public static String architecture() {
        return System.getProperty("os.arch");
    }

    /** @param image on which the layer lies, which is named by its digest */
    public static Map<String, String> ofLayer(String layer, String image) {
        return Map.of("layer", layer, IMAGE, image, ARCHITECTURE, architecture());
    }

    /**
     * Those of captured processes.
     *
     * @param traits what must be the same where they go on: the runtime, its version and flags, mounts, what the processor can
     * @param agent the digest of the one that is among them
     * @param image that of the disk on which they run
     */
    public static Map<String, String> ofMemory(Map<String, String> traits, String agent, String image) {
        Map<String, String> facts = new TreeMap<>(traits);
        facts.putIfAbsent(ARCHITECTURE, architecture());
        facts.put("agent", agent);
        facts.put(IMAGE, image);
        return facts;
    }

    /** Refuses a manifest that says something else of its files than is expected of them. */
    public static void require(ManifestSource source, ManifestHeader written) {
        Map<String, String> all = new TreeMap<>(written.facts());
        all.putAll(source.facts());
        for (String name : all.keySet()) {
            String expected = source.facts().getOrDefault(name, NOTHING);
            String said = written.facts().getOrDefault(name, NOTHING);
            if (!said.equals(expected)) {
                throw ManifestFormat.damaged("The manifest of the snapshot is of something else: " + name + ": " + said + " (expected: " + expected + ")");
            }
        }
    }
}
