package dev.sandglass.network.registry;

import dev.sandglass.linux.SearchPath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One look at a host's configuration. It remembers what it saw, so that a later one can tell whether it would see the same. Nothing of what a file says is
 * logged: there are secrets in such files.
 */
final class Look {
    private static final Logger LOG = LoggerFactory.getLogger(Look.class);
    private static final int LARGEST = 1 << 20;
    private static final int LONGEST_LINE = 4096;
    /** After so long a program that gave no answer is asked again. */
    private static final Duration SILENCE = Duration.ofMinutes(1);

    private final Path root;
    private final Map<String, String> environment;
    private final Map<Path, Map<String, Object>> seen = new HashMap<>();
    private final long began = System.nanoTime();
    private boolean silent;
    private boolean incomplete;

    Look(Path root, Map<String, String> environment) {
        this.root = root;
        this.environment = environment;
    }

    Map<String, String> environment() {
        return environment;
    }

    /** A file in the home of the user. */
    String atHome(String name) {
        return environment.getOrDefault("HOME", "/root") + "/" + name;
    }

    boolean stillHolds() {
        boolean recent = System.nanoTime() - began < SILENCE.toNanos();
        return (recent || !silent) && seen.entrySet().stream().allMatch(each -> each.getValue().equals(facts(each.getKey())));
    }

    /** Where a file of the host is. */
    Path at(String file) {
        return root.resolve(file.replaceFirst("^/+", ""));
    }

    /** The lines of a file, without those that cannot be of any use. */
    List<String> lines(String file) {
        return read(at(file)).stream().flatMap(bytes -> new String(bytes, StandardCharsets.UTF_8).lines()).filter(line -> line.length() <= LONGEST_LINE && line.indexOf(0) < 0).toList();
    }

    /** What is in a file; empty if there is none, or none to be read. */
    Optional<byte[]> read(Path file) {
        Map<String, Object> facts = see(file);
        if (!Boolean.TRUE.equals(facts.get("isRegularFile"))) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(LARGEST + 1);
            if (bytes.length <= LARGEST) {
                return Optional.of(bytes);
            }
            miss();
            LOG.warn("{} has more than {} bytes: it is not looked into for registries", file, LARGEST);
        } catch (IOException unreadable) {
            miss();
            LOG.warn("{} cannot be read, and is not looked into for registries: {}", file, why(unreadable));
        }
        return Optional.empty();
    }

    /** Notes that a file is there and nobody knows what it says. */
    void miss() {
        incomplete = true;
    }

    /** Whether every file that is there was read: only then is what nobody says left to a standard. A file that closes something must not open more when it is broken. */
    boolean isComplete() {
        return !incomplete;
    }

    /** The files of a directory, by name. */
    List<String> names(Path directory) {
        see(directory);
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException unreadable) {
            LOG.debug("{} cannot be listed: {}", directory, why(unreadable));
            return List.of();
        }
    }

    /** Where a program is. */
    Optional<Path> program(String name) {
        Optional<Path> found = new SearchPath(environment.getOrDefault("PATH", SearchPath.SYSTEM.text())).find(name);
        found.ifPresentOrElse(this::see, () -> silent = true); // it may be installed soon
        return found;
    }

    /** The lines that a program prints; none if it is not there, fails, or takes too long. */
    List<String> ask(String program, String... arguments) {
        Optional<Path> found = program(program);
        if (found.isPresent()) {
            try {
                return new Question(found.get(), Arrays.asList(arguments), environment).answer();
            } catch (IOException problem) {
                LOG.debug("{} does not say where its registry is: {}", found.get(), problem.getMessage());
                silent = true;
            }
        }
        return List.of();
    }

    private Map<String, Object> see(Path file) {
        return seen.computeIfAbsent(file, Look::facts);
    }

    private static Map<String, Object> facts(Path file) {
        try {
            return Files.readAttributes(file, "unix:isRegularFile,size,ino,lastModifiedTime,ctime");
        } catch (IOException absent) {
            return Map.of();
        }
    }

    private static String why(IOException problem) {
        return problem instanceof FileSystemException known && known.getReason() != null ? known.getReason() : problem.getClass().getSimpleName();
    }
}
