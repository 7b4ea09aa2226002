package dev.sandglass.bench;

import dev.sandglass.bench.report.Size;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for.
 *
 * @param budget the time after which no stage begins another round
 * @param json where to write the report for machines; null for nowhere
 * @param asJson whether to print it for machines too
 * @param runtime the only runtime to measure; null for all
 */
record Options(
        int rounds, Duration budget, Size size, @Nullable Path json, boolean asJson, @Nullable String runtime, boolean help) {
    static final String USAGE =
            """
            Usage: sandglass bench [--quick|--smoke] [--rounds N] [--runtime NAME] [--json FILE] [-o table|json]
                   sandglass bench agents ... (see `sandglass bench agents --help`)
            Measures Sandglass beside raw crun, runc and runsc (and podman where it is installed) on the same image and pool.
            Needs a running daemon, and some minutes of a machine that is otherwise idle.
              --quick          16 creates instead of 100, 32 execs instead of 200, a file of 64 MB instead of 1 GB
              --smoke          as little of everything as can be, to see that it works; the times say nothing
              --rounds N       rounds of each short measurement, however long they take (default: 15, fewer where that takes a minute)
              --runtime NAME   only this runtime and the engines beside it: container or gvisor
              --json FILE      where to write the numbers (default: target/bench.json)
              -o FORMAT        what to print: table (default) or json
            """;
    private static final int DEFAULT_ROUNDS = 15;
    private static final Duration DEFAULT_BUDGET = Duration.ofSeconds(45);
    private static final Duration NO_LIMIT = Duration.ofDays(1);
    private static final int MOST_ROUNDS = 10_000;

    static Options parse(List<String> arguments) {
        String file = System.getProperty("sandglass.bench.json");
        Options options = new Options(
                DEFAULT_ROUNDS, DEFAULT_BUDGET, Size.WHOLE, file == null ? null : Path.of(file), false, null, false);
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            options = options.with(rest.next().split("=", 2), rest);
        }
        return options;
    }

    private Options with(String[] words, Iterator<String> rest) {
        return switch (words[0]) {
            case "--rounds" -> new Options(rounds(value(words, rest)), NO_LIMIT, size, json, asJson, runtime, help);
            case "--quick" -> new Options(rounds, budget, Size.QUICK, json, asJson, runtime, help);
            case "--smoke" -> new Options(rounds, budget, Size.SMOKE, json, asJson, runtime, help);
            case "--json" -> new Options(rounds, budget, size, Path.of(value(words, rest)), asJson, runtime, help);
            case "-o", "--format" -> new Options(rounds, budget, size, json, isJson(value(words, rest)), runtime, help);
            case "--runtime" -> new Options(rounds, budget, size, json, asJson, value(words, rest), help);
            case "--help", "-h" -> new Options(rounds, budget, size, json, asJson, runtime, true);
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

    private static int rounds(String text) {
        String expected = "--rounds: " + text + " (expected: 1 to " + MOST_ROUNDS + ")";
        try {
            int number = Integer.parseInt(text);
            if (number < 1 || number > MOST_ROUNDS) {
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
