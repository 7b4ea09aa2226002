package dev.sandglass.bench.agent;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for.
 *
 * @param agents those that are measured
 * @param count of the sandboxes in which each answers, one after another, and again at once
 * @param cold whether every step of the first build is done anew
 * @param json where to write the report for machines; null for nowhere
 * @param asJson whether to print it for machines too
 */
public record AgentOptions(List<Agent> agents, int count, boolean cold, @Nullable Path json, boolean asJson, boolean help) {
    public static final String USAGE =
            """
            Usage: sandglass bench agents [--smoke] [--agent NAME]... [--count N] [--json FILE] [-o table|json]
            Builds the templates of agents from their packages, and lets the agents answer in sandboxes of them.
            Needs a running daemon, the package registries, and some minutes of a machine that is otherwise idle.
              --smoke          two sandboxes of claude-code, and what earlier builds kept is used: to see that it works
              --agent NAME     only this agent: claude-code or openclaw; can be given more than once
              --count N        sandboxes in which each agent answers (default: 10)
              --json FILE      where to write the numbers (default: target/bench-agents.json)
              -o FORMAT        what to print: table (default) or json
            """;
    private static final int DEFAULT_COUNT = 10;
    private static final int MOST = 100;
    private static final int FEW = 2;

    public AgentOptions {
        agents = List.copyOf(agents);
    }

    public static AgentOptions parse(List<String> arguments) {
        String beside = System.getProperty("sandglass.bench.json");
        Path file = beside == null ? null : Path.of(beside).resolveSibling("bench-agents.json");
        AgentOptions options = new AgentOptions(Agent.ALL, DEFAULT_COUNT, true, file, false, false);
        List<Agent> named = new ArrayList<>();
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            options = options.with(rest.next().split("=", 2), rest, named);
        }
        return named.isEmpty() ? options : new AgentOptions(named, options.count, options.cold, options.json, options.asJson, options.help);
    }

    private AgentOptions with(String[] words, Iterator<String> rest, List<Agent> named) {
        return switch (words[0]) {
            case "--smoke" -> new AgentOptions(List.of(Agent.ALL.getFirst()), FEW, false, json, asJson, help);
            case "--agent" -> {
                named.add(Agent.of(value(words, rest)));
                yield this;
            }
            case "--count" -> new AgentOptions(agents, count(value(words, rest)), cold, json, asJson, help);
            case "--json" -> new AgentOptions(agents, count, cold, Path.of(value(words, rest)), asJson, help);
            case "-o", "--format" -> new AgentOptions(agents, count, cold, json, isJson(value(words, rest)), help);
            case "--help", "-h" -> new AgentOptions(agents, count, cold, json, asJson, true);
            default -> throw new IllegalArgumentException("Unknown argument: " + words[0]);
        };
    }

    private static boolean isJson(String format) {
        return switch (format) {
            case "json" -> true;
            case "table" -> false;
            default -> throw new IllegalArgumentException("-o: " + format + " (expected: table or json)");
        };
    }

    private static int count(String text) {
        String expected = "--count: " + text + " (expected: 1 to " + MOST + ")";
        try {
            int number = Integer.parseInt(text);
            if (number < 1 || number > MOST) {
                throw new IllegalArgumentException(expected);
            }
            return number;
        } catch (NumberFormatException problem) {
            throw new IllegalArgumentException(expected, problem);
        }
    }

    private static String value(String[] words, Iterator<String> rest) {
        if (words.length == 2) {
            return words[1];
        }
        if (!rest.hasNext()) {
            throw new IllegalArgumentException(words[0] + " needs a value");
        }
        return rest.next();
    }
}
