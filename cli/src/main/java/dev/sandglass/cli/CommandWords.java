package dev.sandglass.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Where our options end and the command begins: {@code exec box --timeout 5 ls -l} must leave {@code -l} to the command.
 *
 * <p>A {@code --} is put before the first word of the command, unless the user wrote one.
 */
record CommandWords(List<String> args, boolean explicit) {
    /** The number of operands is that of words which stand before the command: the sandbox, or none. */
    static CommandWords split(CommandSpec spec, int operands, String[] args) {
        int seen = 0;
        int i = 0;
        while (i < args.length) {
            String word = args[i];
            if (word.equals("--")) {
                return new CommandWords(List.of(args), true);
            }
            if (word.length() > 1 && word.startsWith("-")) {
                i += takesNext(spec, word) ? 2 : 1;
            } else if (seen == operands) {
                List<String> marked = new ArrayList<>(Arrays.asList(args));
                marked.add(i, "--");
                return new CommandWords(marked, false);
            } else {
                seen++;
                i++;
            }
        }
        return new CommandWords(List.of(args), false);
    }

    private static boolean takesNext(CommandSpec spec, String word) {
        if (word.startsWith("--")) {
            return takesValue(spec.findOption(word));
        }
        for (int at = 1; at < word.length(); at++) {
            if (takesValue(spec.findOption(word.charAt(at)))) {
                return at == word.length() - 1;
            }
        }
        return false;
    }

    private static boolean takesValue(@Nullable OptionSpec option) {
        return option != null && option.arity().max() > 0;
    }
}
