package dev.sandglass.cli;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Options of the form NAME=VALUE, and files of such lines. */
final class Pairs {
    private static final long MAX_FILE = 1 << 20;

    private Pairs() {}

    /** The pairs, null if there are none; a bare NAME takes its value from the fallback, as in {@code --env PATH}. */
    static @Nullable Map<String, String> parse(String option, List<String> pairs, Map<String, String> fallback) {
        if (pairs.isEmpty()) {
            return null;
        }
        Map<String, String> parsed = new LinkedHashMap<>();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? fallback.get(name) : pair.substring(equals + 1);
            if (name.isEmpty() || value == null) {
                throw new UsageException(option + ": " + pair + " (expected: NAME=VALUE)");
            }
            parsed.put(name, value);
        }
        return parsed;
    }

    /** Variables for a sandbox or command: those of the files, then those that were given one by one. */
    static @Nullable Map<String, String> environment(List<String> files, List<String> pairs, Map<String, String> fallback) {
        List<String> all = new ArrayList<>();
        files.forEach(file -> all.addAll(lines(file, fallback)));
        all.addAll(pairs);
        return parse("env", all, fallback);
    }

    /** Values are taken as they stand, quotes included; empty lines and those that begin with # are comments. */
    private static List<String> lines(String file, Map<String, String> fallback) {
        List<String> pairs = new ArrayList<>();
        int number = 0;
        for (String line : read(file)) {
            number++;
            String bare = line.stripLeading();
            String pair = bare.startsWith("export ") ? bare.substring("export ".length()).stripLeading() : bare;
            if (!pair.isEmpty() && !pair.startsWith("#")) {
                require(pair, file + ":" + number, fallback);
                pairs.add(pair);
            }
        }
        return pairs;
    }

    /** Any part of such a file may be a secret, also what stands where a name should: only the place is told. */
    private static void require(String pair, String where, Map<String, String> fallback) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        if (name.isEmpty() || name.chars().anyMatch(Character::isWhitespace)) {
            throw new UsageException("env-file: " + where + " begins with no name of a variable (expected: NAME=VALUE, without spaces before the =)");
        }
        if (equals < 0 && !fallback.containsKey(name)) {
            throw new UsageException("env-file: " + where + " has no value, and there is no variable of that name here (expected: NAME=VALUE)");
        }
    }

    private static List<String> read(String file) {
        try {
            Path path = Path.of(file);
            if (Files.isRegularFile(path) && Files.size(path) > MAX_FILE) {
                throw new UsageException("env-file: " + file + " has " + Files.size(path) + " bytes (expected: <= " + MAX_FILE + ")");
            }
            return Files.readAllLines(path);
        } catch (NoSuchFileException absent) {
            throw new UsageException("env-file: " + file + " (expected: a file that is there)");
        } catch (MalformedInputException binary) {
            throw new UsageException("env-file: " + file + " (expected: text in UTF-8)");
        } catch (IOException problem) {
            throw new UsageException("env-file: " + file + " cannot be read: " + problem.getMessage());
        }
    }
}
