package dev.sandglass.server;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Settings as text by name, from a YAML file and, over it, from the environment ({@code listen} is {@code
 * SANDGLASS_LISTEN}). A name that nobody knows is an error, so that a misspelt one is not silently without effect.
 */
record Settings(Map<String, String> values) {
    static final Path FILE = Path.of("/etc/sandglass/sandglass.yaml");
    private static final Set<String> NAMES = Set.of(
            "listen", "host_names", "runtime", "security", "pool", "pool_size_mb", "memory_mb", "cpus", "disk_mb", "max_processes");

    static Settings read(Map<String, String> environment) {
        Map<String, String> values = new HashMap<>();
        String named = environment.get("SANDGLASS_CONFIG");
        Path file = named == null ? FILE : Path.of(named);
        if (named != null || Files.exists(file)) {
            values.putAll(fromFile(file));
        }
        for (String name : NAMES) {
            String value = environment.get("SANDGLASS_" + name.toUpperCase(Locale.ROOT));
            if (value != null && !value.isBlank()) {
                values.put(name, value.strip());
            }
        }
        return new Settings(Map.copyOf(values));
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name));
    }

    long number(String name, long absent) {
        try {
            return text(name).map(Long::parseLong).orElse(absent);
        } catch (NumberFormatException problem) {
            throw invalid(name + ": " + values.get(name) + " (expected: a whole number)", problem);
        }
    }

    double decimal(String name, double absent) {
        try {
            return text(name).map(Double::parseDouble).orElse(absent);
        } catch (NumberFormatException problem) {
            throw invalid(name + ": " + values.get(name) + " (expected: a number)", problem);
        }
    }

    private static Map<String, String> fromFile(Path file) {
        try {
            Object loaded = new Load(LoadSettings.builder().setLabel(file.toString()).build()).loadFromString(Files.readString(file));
            Map<String, String> values = new HashMap<>();
            if (loaded == null) {
                return values;
            }
            if (!(loaded instanceof Map<?, ?> map)) {
                throw invalid(file + ": expected a list of `name: value`", null);
            }
            map.forEach((name, value) -> {
                if (!NAMES.contains(String.valueOf(name))) {
                    throw invalid(file + ": " + name + " (expected: one of " + new TreeSet<>(NAMES) + ")", null);
                }
                values.put(String.valueOf(name), String.valueOf(value));
            });
            return values;
        } catch (IOException | YamlEngineException problem) {
            throw invalid("The configuration cannot be read: " + problem.getMessage(), problem);
        }
    }

    static SandglassException invalid(String message, @Nullable Throwable cause) {
        return new SandglassException(
                ErrorCode.INVALID_REQUEST, message, "Correct " + FILE + " or the SANDGLASS_... variable of that name.", cause);
    }
}
