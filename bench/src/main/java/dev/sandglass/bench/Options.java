package dev.sandglass.bench;

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
 * @param runtime the only runtime to measure; null for all
 */
record Options(int rounds, Duration budget, @Nullable Path json, @Nullable String runtime, boolean help) {
    static final String USAGE =
            """
            Usage: sandglass bench [--rounds N] [--runtime NAME] [--json FILE]
            Measures Sandglass beside raw crun, runc and runsc on the same image and pool. Needs a running daemon.
              --rounds N       rounds of each measurement, however long they take (default: 15, fewer where that takes a minute)
              --runtime NAME   only this runtime and the engines beside it: container or gvisor
              --json FILE      also write the numbers to a file
            """;
    private static final int DEFAULT_ROUNDS = 15;
    private static final Duration DEFAULT_BUDGET = Duration.ofSeconds(45);
    private static final Duration NO_LIMIT = Duration.ofDays(1);
    private static final int MOST_ROUNDS = 10_000;

    static Options parse(List<String> arguments) {
        Options options = new Options(DEFAULT_ROUNDS, DEFAULT_BUDGET, null, null, false);
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String[] words = rest.next().split("=", 2);
            options = switch (words[0]) {
                case "--rounds" -> options.withRounds(value(words, rest));
                case "--json" -> new Options(options.rounds, options.budget, Path.of(value(words, rest)), options.runtime, options.help);
                case "--runtime" -> new Options(options.rounds, options.budget, options.json, value(words, rest), options.help);
                case "--help", "-h" -> new Options(options.rounds, options.budget, options.json, options.runtime, true);
                default -> throw new IllegalArgumentException("Unknown argument: " + words[0]);
            };
        }
        return options;
    }

    private Options withRounds(String text) {
        String expected = "--rounds: " + text + " (expected: 1 to " + MOST_ROUNDS + ")";
        try {
            int number = Integer.parseInt(text);
            if (number < 1 || number > MOST_ROUNDS) {
                throw new IllegalArgumentException(expected);
            }
            return new Options(number, NO_LIMIT, json, runtime, help);
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
