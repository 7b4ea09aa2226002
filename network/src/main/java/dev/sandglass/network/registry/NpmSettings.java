package dev.sandglass.network.registry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The registries of npm: its own, and those of scopes. A variable counts more than the user's file, and that more than the system's. */
final class NpmSettings {
    private static final String REGISTRY = "registry";
    private static final String OF_SCOPE = ":registry";
    private static final String PREFIX = "npm_config_";
    private static final Pattern LINE = Pattern.compile("\\s*([^;#=\\s][^=\\s]*)\\s*=\\s*[\"']?([^\"']*?)[\"']?\\s*");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}?]+)\\??}");

    private NpmSettings() {}

    static Stream<String> urls(Look look) {
        Map<String, String> variables = variables(look.environment());
        Map<String, String> said = new HashMap<>();
        for (String file : files(variables, look)) {
            said.putAll(read(look.lines(file), look.environment()));
        }
        said.putAll(variables);
        Stream<String> own = said.containsKey(REGISTRY)
                ? Stream.of(said.get(REGISTRY))
                : look.ask("npm", "config", "get", REGISTRY, "--logs-max=0", "--no-update-notifier").stream();
        return Stream.concat(own, said.entrySet().stream().filter(each -> each.getKey().startsWith("@") && each.getKey().endsWith(OF_SCOPE)).map(Map.Entry::getValue));
    }

    /** Where the system's is depends on who packaged npm. */
    private static List<String> files(Map<String, String> variables, Look look) {
        List<String> files = new ArrayList<>(
                variables.containsKey("globalconfig") ? List.of(variables.get("globalconfig")) : List.of("/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc"));
        if (variables.containsKey("prefix")) {
            files.add(variables.get("prefix") + "/etc/npmrc");
        }
        files.add(variables.getOrDefault("userconfig", look.atHome(".npmrc")));
        return files;
    }

    /** Small and large letters are the same in npm's variables, and empty ones are none. */
    private static Map<String, String> variables(Map<String, String> environment) {
        Map<String, String> variables = new HashMap<>();
        environment.forEach((name, value) -> {
            String small = name.toLowerCase(Locale.ROOT);
            if (small.startsWith(PREFIX) && !value.isEmpty()) {
                variables.put(small.substring(PREFIX.length()), value);
            }
        });
        return variables;
    }

    private static Map<String, String> read(List<String> lines, Map<String, String> environment) {
        Map<String, String> said = new HashMap<>();
        lines.stream().map(LINE::matcher).filter(Matcher::matches).forEach(line -> said.put(line.group(1), expanded(line.group(2), environment)));
        return said;
    }

    private static String expanded(String value, Map<String, String> environment) {
        return VARIABLE.matcher(value).replaceAll(found -> Matcher.quoteReplacement(environment.getOrDefault(found.group(1), "")));
    }
}
