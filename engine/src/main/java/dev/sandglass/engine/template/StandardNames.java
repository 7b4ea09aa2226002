package dev.sandglass.engine.template;

import dev.sandglass.engine.image.Image;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The names behind FROM that the base image has: its own, and those that images of the same release of the same system have everywhere. */
final class StandardNames {
    private static final String OWN = "sandglass";

    private StandardNames() {}

    static Set<String> of(Image base) {
        Set<String> names = new LinkedHashSet<>(List.of(OWN, OWN + ":latest"));
        Map<String, String> release = release(base);
        String system = release.getOrDefault("ID", "");
        if (!system.isEmpty()) {
            names.add(system);
            names.add(system + ":latest");
            for (String key : List.of("VERSION_ID", "VERSION_CODENAME")) {
                String version = release.getOrDefault(key, "");
                if (!version.isEmpty()) {
                    names.addAll(List.of(system + ":" + version, system + ":" + version + "-slim"));
                }
            }
        }
        return names;
    }

    /** What the image says of itself; nothing if it does not. */
    private static Map<String, String> release(Image base) {
        Map<String, String> facts = new HashMap<>();
        for (String line : lines(base)) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                facts.put(line.substring(0, equals), line.substring(equals + 1).replace("\"", ""));
            }
        }
        return facts;
    }

    private static List<String> lines(Image base) {
        for (Path layer : base.layers()) {
            Path file = layer.resolve("usr/lib/os-release");
            if (Files.isRegularFile(file)) {
                try {
                    return new ArrayList<>(Files.readAllLines(file));
                } catch (IOException unreadable) {
                    return List.of();
                }
            }
        }
        return List.of();
    }
}
