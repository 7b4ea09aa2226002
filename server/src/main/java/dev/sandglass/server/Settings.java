package dev.sandglass.server;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Settings as text by name, from a YAML file and, over it, from the environment ({@code listen} is {@code
 * SANDGLASS_LISTEN}). A name that nobody knows is an error, so that a misspelt one is not silently without effect.
 */
record Settings(Path file, Map<String, String> values) {
    private static final Path STANDARD_FILE = Path.of("/etc/sandglass/sandglass.yaml");
    private static final Set<String> NAMES = Set.of(
            "listen", "host_names", "rate_limit", "runtime", "security", "pool", "pool_size_mb", "pool_memory_mb", "snapshot_quota_mb", "memory_mb", "cpus", "disk_mb", "max_processes",
            "timeout", "ttl", "hard_ttl", "route_listen", "route_domain", "route_url", "route_wake_seconds", "network", "network_namespace", "network_resolvers", "network_trust", "network_private", "raise_kernel_counts", "keep_spares", "image_registry", "builtin_templates");
    private static final Set<String> LISTS = Set.of("host_names", "network_private");
    private static final long MAX_FILE_BYTES = 1 << 16;

    static Settings read(Map<String, String> environment) {
        String named = environment.get("SANDGLASS_CONFIG");
        Path file = named == null ? STANDARD_FILE : Path.of(named);
        Map<String, String> values = named != null || Files.exists(file) ? fromFile(file) : new HashMap<>();
        for (String name : NAMES) {
            String value = environment.get("SANDGLASS_" + name.toUpperCase(Locale.ROOT));
            if (value != null && !value.isBlank()) {
                values.put(name, value.strip());
            }
        }
        return new Settings(file, Map.copyOf(values));
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** Words that stand in a list, or with commas or spaces between them. */
    List<String> words(String name) {
        return text(name).map(text -> List.of(text.split("[,\\s]+"))).orElse(List.of());
    }

    boolean flag(String name, boolean absent) {
        return switch (text(name).orElse(Boolean.toString(absent))) {
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid(name, "true or false", null);
        };
    }

    long number(String name, long absent) {
        try {
            return text(name).map(Long::parseLong).orElse(absent);
        } catch (NumberFormatException problem) {
            throw invalid(name, "a whole number", problem);
        }
    }

    double decimal(String name, double absent) {
        try {
            return text(name).map(Double::parseDouble).orElse(absent);
        } catch (NumberFormatException problem) {
            throw invalid(name, "a number", problem);
        }
    }

    /** What to throw about the value of that name. */
    SandglassException invalid(String name, String expected, @Nullable Throwable cause) {
        return invalid(file, name + ": " + values.get(name) + " (expected: " + expected + ")", cause);
    }

    /** What to throw about a value that others have found wrong. */
    SandglassException invalid(SandglassException problem) {
        return invalid(file, problem.what(), problem);
    }

    private static SandglassException invalid(Path file, String message, @Nullable Throwable cause) {
        return new SandglassException(
                ErrorCode.INVALID_REQUEST, message, "Correct " + file + " or the SANDGLASS_... variable of that name.", cause);
    }

    private static Map<String, String> fromFile(Path file) {
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw invalid(file, file + " has " + Files.size(file) + " bytes (expected: <= " + MAX_FILE_BYTES + ")", null);
            }
            Object loaded = new Load(LoadSettings.builder().setLabel(file.toString()).build()).loadFromString(Files.readString(file));
            Map<String, String> values = new HashMap<>();
            if (loaded == null) {
                return values;
            }
            if (!(loaded instanceof Map<?, ?> map)) {
                throw invalid(file, file + ": expected lines of `name: value`", null);
            }
            map.forEach((written, value) -> {
                String name = String.valueOf(written).equals("builtinTemplates") ? BuiltInChoice.SETTING : String.valueOf(written);
                if (!NAMES.contains(name)) {
                    throw invalid(file, file + ": " + name + " (expected: one of " + new TreeSet<>(NAMES) + ")", null);
                }
                values.put(name, textOf(file, name, value));
            });
            return values;
        } catch (IOException | YamlEngineException problem) {
            String why = problem instanceof YamlEngineException ? String.valueOf(problem.getMessage()) : problem.toString();
            throw invalid(file, "The settings cannot be read: " + why.replaceAll("\\s*\\n\\s*", " "), problem);
        }
    }

    private static String textOf(Path file, String name, @Nullable Object value) {
        return switch (value) {
            case String text -> text;
            case Number number -> number.toString();
            case Boolean flag -> flag.toString();
            case List<?> _ when name.equals(BuiltInChoice.SETTING) -> BuiltInChoice.IN_THE_FILE;
            case List<?> list when LISTS.contains(name) -> list.stream().map(String::valueOf).collect(Collectors.joining(","));
            case null, default ->
                throw invalid(file, file + ": " + name + ": " + value + " (expected: a text, a number, true or false)", null);
        };
    }
}
