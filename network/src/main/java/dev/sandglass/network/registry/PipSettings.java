package dev.sandglass.network.registry;

import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.HostName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The indexes of pip. A variable counts more than the user's file, and that more than the system's. */
final class PipSettings {
    private static final String INDEX = "index-url";
    private static final String MORE = "extra-index-url";
    private static final String PAGES = "find-links";
    private static final String NO_INDEX = "no-index";
    private static final String PREFIX = "PIP_";
    private static final String NOWHERE = "/dev/null";
    private static final Pattern LINE = Pattern.compile("([A-Za-z][A-Za-z_-]*)\\s*[=:]\\s*(.*)");
    private static final Pattern YES = Pattern.compile("y|yes|t|true|on|1", Pattern.CASE_INSENSITIVE);
    /** What pip has in its own code: its index, and the host of the files that this index links to. */
    private static final String OWN = "from pip._internal.models.index import PyPI as own; print(own.simple_url); print('https://' + own.file_storage_domain)";

    private PipSettings() {}

    static Stream<String> urls(Look look) {
        Map<String, List<String>> said = new HashMap<>();
        for (String file : files(look)) {
            said.putAll(read(look.lines(file)));
        }
        said.putAll(variables(look.environment()));
        Stream<String> pages = said.getOrDefault(PAGES, List.of()).stream();
        boolean none = said.getOrDefault(NO_INDEX, List.of()).stream().anyMatch(each -> YES.matcher(each).matches());
        return none ? pages : Stream.concat(pages, indexes(said, look));
    }

    /** Files of pip's own index are on another host, also where somebody's configuration names that index. Where those of other indexes are, only they know. */
    private static Stream<String> indexes(Map<String, List<String>> said, Look look) {
        List<String> own = look.ask("python3", "-I", "-c", OWN);
        List<String> indexes = new ArrayList<>(said.getOrDefault(INDEX, look.isComplete() ? own.stream().limit(1).toList() : List.of()));
        indexes.addAll(said.getOrDefault(MORE, List.of()));
        Optional<HostName> standard = own.stream().findFirst().flatMap(PipSettings::host);
        boolean usesOwn = standard.isPresent() && indexes.stream().anyMatch(each -> host(each).equals(standard));
        return Stream.concat(indexes.stream(), usesOwn ? own.stream().skip(1) : Stream.of());
    }

    private static Optional<HostName> host(String url) {
        return Place.of(url).map(Endpoint::host);
    }

    private static List<String> files(Look look) {
        Map<String, String> environment = look.environment();
        String named = environment.getOrDefault("PIP_CONFIG_FILE", "");
        if (named.equals(NOWHERE)) {
            return List.of();
        }
        List<String> files = new ArrayList<>();
        for (String directory : environment.getOrDefault("XDG_CONFIG_DIRS", "/etc/xdg").split(":")) {
            files.add(directory + "/pip/pip.conf");
        }
        files.add("/etc/pip.conf");
        files.add(look.atHome(".pip/pip.conf"));
        files.add(Objects.requireNonNullElseGet(environment.get("XDG_CONFIG_HOME"), () -> look.atHome(".config")) + "/pip/pip.conf");
        if (!named.isEmpty()) {
            files.add(named);
        }
        return files;
    }

    private static Map<String, List<String>> variables(Map<String, String> environment) {
        Map<String, List<String>> variables = new HashMap<>();
        environment.forEach((name, value) -> {
            if (name.startsWith(PREFIX) && !value.isBlank()) {
                variables.put(key(name.substring(PREFIX.length())), words(value));
            }
        });
        return variables;
    }

    /** Each section is about a command of pip; what one of them uses the host uses. */
    private static Map<String, List<String>> read(List<String> lines) {
        Map<String, List<String>> said = new HashMap<>();
        String last = "";
        int margin = 0;
        for (String line : lines) {
            String words = line.strip();
            if (words.isEmpty() || words.startsWith("#") || words.startsWith(";")) {
                continue;
            }
            Matcher parts = LINE.matcher(words);
            int indent = line.length() - line.stripLeading().length();
            if (!last.isEmpty() && indent > margin) {
                add(said, last, words); // the value goes on
            } else {
                last = parts.matches() ? key(parts.group(1)) : "";
                margin = indent;
                add(said, last, parts.matches() ? parts.group(2) : "");
            }
        }
        return said;
    }

    private static void add(Map<String, List<String>> said, String key, String value) {
        said.computeIfAbsent(key, _ -> new ArrayList<>()).addAll(words(value));
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<String> words(String value) {
        return value.isBlank() ? List.of() : List.of(value.strip().split("\\s+"));
    }
}
