package dev.sandglass.server.e2b.envd;

import dev.sandglass.wire.Command;
import io.avaje.jsonb.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** With what processes were started, as far as it is told of nobody else: a daemon that takes over knows no tags and no variables of them. Thread-safe. */
final class Configs {
    private static final int MOST = 4096;

    @Json
    record Config(String cmd, List<String> args, Map<String, String> envs, @Nullable String cwd) {}

    /** What its client called a process, if anything, and its variables. */
    private record Told(Optional<String> tag, Map<String, String> envs) {}

    private final LinkedHashMap<String, Told> told = new LinkedHashMap<>();

    synchronized void remember(String sandbox, Command command, Optional<String> tag, Map<String, String> envs) {
        told.put(key(sandbox, command), new Told(tag, envs));
        if (told.size() > MOST) {
            told.remove(told.firstEntry().getKey());
        }
    }

    synchronized Optional<String> tag(String sandbox, Command command) {
        return Optional.ofNullable(told.get(key(sandbox, command))).flatMap(Told::tag);
    }

    synchronized Config of(String sandbox, Command command) {
        Told known = told.get(key(sandbox, command));
        List<String> argv = command.argv();
        return new Config(
                argv.isEmpty() ? "" : argv.getFirst(), argv.subList(Math.min(1, argv.size()), argv.size()), known == null ? Map.of() : known.envs(), command.cwd());
    }

    private static String key(String sandbox, Command command) {
        return sandbox + " " + command.id() + " " + command.startedAt();
    }
}
