package dev.sandglass.cli;

import dev.sandglass.wire.SandglassException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine;

/** The program behind {@code sandglass VERB}: finds the verb, parses its options, runs it, tells what failed. */
public final class Main {
    private static final int BROKEN_PIPE = 141;

    private Main() {}

    public static void main(String[] args) {
        // All is closed and written by then, and System.exit would first load the JDK's logging.
        Runtime.getRuntime().halt(run(Console.ofProcess(), args));
    }

    static int run(Console plain, String... args) {
        Console console;
        try {
            console = plain.with(Configuration.under(plain.environment()));
        } catch (UsageException wrong) {
            plain.warn(Failure.usage(String.valueOf(wrong.getMessage()), "").text(formatOf(plain, args)));
            return 2;
        }
        return serve(console, args);
    }

    private static int serve(Console console, String... args) {
        String word = args.length == 0 ? "help" : args[0];
        if (word.equals("help") && args.length > 1) {
            String[] asked = Arrays.copyOfRange(args, 1, args.length + 1);
            asked[asked.length - 1] = "--help";
            return serve(console, asked);
        }
        if (word.equals("help") || word.equals("--help") || word.equals("-h")) {
            console.print(help());
            return Verb.OK;
        }
        int words = Verbs.words(args);
        String name = String.join(" ", Arrays.copyOf(args, words));
        Verb verb = Verbs.of(name);
        if (verb == null) {
            Failure failure = Failure.usage("Unknown verb: " + name, words > 1 ? word : "");
            console.warn(failure.text(formatOf(console, args)));
            return failure.exitCode();
        }
        return run(console, name, verb, Arrays.copyOfRange(args, words, args.length));
    }

    private static int run(Console console, String word, Verb verb, String[] args) {
        try {
            return verb.run(console, args);
        } catch (CommandLine.ParameterException | UsageException usage) {
            return fail(console, verb, Failure.usage(String.valueOf(usage.getMessage()), word), args);
        } catch (SandglassException problem) {
            debug(console, problem);
            return fail(console, verb, verb.failure(problem), args);
        } catch (UncheckedIOException nobodyReads) {
            debug(console, nobodyReads);
            return BROKEN_PIPE;
        } catch (RuntimeException | Error bug) {
            debug(console, bug);
            return fail(console, verb, Failure.internal(bug), args);
        }
    }

    private static int fail(Console console, Verb verb, Failure failure, String[] args) {
        console.warn(failure.text(verb.outputIsData() ? asked(args, Format.TABLE) : formatOf(console, args)));
        return verb.exitCode(failure);
    }

    /** The format as far as it can be told without parsing, which may be what failed. */
    private static Format formatOf(Console console, String[] args) {
        try {
            return asked(args, Format.of("", console));
        } catch (UsageException unknown) {
            return Format.TABLE;
        }
    }

    private static Format asked(String[] args, Format otherwise) {
        for (Format format : Format.values()) {
            if (asks(args, format.name().toLowerCase(Locale.ROOT))) {
                return format;
            }
        }
        return otherwise;
    }

    private static boolean asks(String[] args, String format) {
        String before = "";
        for (String arg : args) {
            if (arg.equals("--")) {
                return false;
            }
            boolean names = before.equals("-o") || before.equals("--output") || before.equals("--format");
            if ((names && arg.equals(format)) || arg.equals("-o" + format) || arg.equals("-o=" + format)
                    || arg.equals("--output=" + format) || arg.equals("--format=" + format)) {
                return true;
            }
            before = arg;
        }
        return false;
    }

    private static void debug(Console console, Throwable problem) {
        if (!console.environment().getOrDefault("SANDGLASS_DEBUG", "").isEmpty()) {
            problem.printStackTrace();
        }
    }

    private static String help() {
        return Resource.text("help.txt");
    }
}
