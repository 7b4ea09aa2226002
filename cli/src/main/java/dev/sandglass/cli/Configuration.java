package dev.sandglass.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the command line takes from files: {@code /etc/sandglass/cli.yaml}, then the user's own, or the one that
 * SANDGLASS_CLI_CONFIG names. Each key stands for the variable SANDGLASS_KEY, and the environment wins.
 */
final class Configuration {
    private static final String SYSTEM = "/etc/sandglass/cli.yaml";
    private static final List<String> KEYS = List.of("url", "api_key", "token_file", "data_dir", "output");
    private static final List<String> WHICH_DAEMON = List.of("SANDGLASS_URL", "SANDGLASS_DATA_DIR", "SANDGLASS_RUN_DIR");
    private static final long LARGEST = 1 << 16;

    private Configuration() {}

    /** The environment with what the files say below it. */
    static Map<String, String> under(Map<String, String> environment) {
        String chosen = environment.getOrDefault("SANDGLASS_CLI_CONFIG", "");
        Map<String, String> all = new HashMap<>();
        if (chosen.isEmpty()) {
            read(Path.of(SYSTEM), false, all);
            String home = environment.getOrDefault("HOME", "");
            String own = environment.getOrDefault("XDG_CONFIG_HOME", home.isEmpty() ? "" : home + "/.config");
            if (own.startsWith("/")) {
                read(Path.of(own, "sandglass", "cli.yaml"), false, all);
            }
        } else {
            read(Path.of(chosen), true, all);
        }
        if (all.isEmpty()) {
            return environment;
        }
        if (WHICH_DAEMON.stream().anyMatch(name -> !environment.getOrDefault(name, "").isEmpty())) {
            all.keySet().removeIf(name -> !name.equals("SANDGLASS_OUTPUT")); // they speak of another daemon
        }
        environment.forEach((name, value) -> {
            if (!value.isEmpty()) {
                all.put(name, value);
            }
        });
        return all;
    }

    private static void read(Path file, boolean required, Map<String, String> into) {
        try {
            if (Files.isRegularFile(file) && Files.size(file) > LARGEST) {
                throw new UsageException(file + " has " + Files.size(file) + " bytes (expected: <= " + LARGEST + ")");
            }
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                String text = line.strip();
                if (!text.isEmpty() && !text.startsWith("#")) {
                    pair(file, number, text, into);
                }
            }
        } catch (NoSuchFileException absent) {
            if (required) {
                throw new UsageException("SANDGLASS_CLI_CONFIG: " + file + " (expected: a file that is there)");
            }
        } catch (AccessDeniedException denied) {
            if (required || Files.isReadable(file.resolveSibling("."))) {
                throw new UsageException(file + " may not be read by this user");
            }
            // The home of somebody else, who left it in HOME: no settings of ours.
        } catch (IOException unreadable) {
            throw new UsageException(file + " cannot be read: " + unreadable.getMessage());
        }
    }

    /** A line of YAML as plain as can be: {@code key: value}, the value quoted or not. */
    private static void pair(Path file, int number, String text, Map<String, String> into) {
        int colon = text.indexOf(':');
        String key = colon < 0 ? text : text.substring(0, colon).strip();
        if (colon < 0 || !KEYS.contains(key)) {
            throw new UsageException(
                    file + ", line " + number + ": " + key + " (expected: a line KEY: VALUE with one of " + String.join(", ", KEYS) + ")");
        }
        String value = text.substring(colon + 1).strip();
        boolean quoted = value.length() > 1 && (value.startsWith("\"") || value.startsWith("'")) && value.endsWith(value.substring(0, 1));
        into.put("SANDGLASS_" + key.toUpperCase(Locale.ROOT), quoted ? value.substring(1, value.length() - 1) : value);
    }
}
