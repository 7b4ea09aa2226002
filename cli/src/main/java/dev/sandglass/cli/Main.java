package dev.sandglass.cli;

import dev.sandglass.wire.SandglassException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import picocli.CommandLine;

/** The program behind {@code sandglass VERB}: finds the verb, parses its options, runs it, tells what failed. */
public final class Main {
    private static final int BROKEN_PIPE = 141;

    private Main() {}

    public static void main(String[] args) {
        // All is closed and written by then, and System.exit would first load the JDK's logging.
        Runtime.getRuntime().halt(run(Console.ofProcess(), args));
    }

    static int run(Console console, String... args) {
        String word = args.length == 0 ? "help" : args[0];
        if (word.equals("help") && args.length > 1) {
            return run(console, args[1], "--help");
        }
        if (word.equals("help") || word.equals("--help") || word.equals("-h")) {
            console.print(help());
            return Verb.OK;
        }
        Verb verb = Verbs.of(word);
        if (verb == null) {
            Failure failure = Failure.usage("Unknown verb: " + word, "");
            console.warn(failure.text(formatOf(console, args)));
            return failure.exitCode();
        }
        return run(console, word, verb, Arrays.copyOfRange(args, 1, args.length));
    }

    private static int run(Console console, String word, Verb verb, String[] args) {
        try {
            return verb.run(console, args);
        } catch (CommandLine.ParameterException | UsageException usage) {
            return fail(console, verb, Failure.usage(String.valueOf(usage.getMessage()), word), args);
        } catch (SandglassException problem) {
            debug(console, problem);
            return fail(console, verb, Failure.of(problem), args);
        } catch (UncheckedIOException nobodyReads) {
            debug(console, nobodyReads);
            return BROKEN_PIPE;
        } catch (RuntimeException | Error bug) {
            debug(console, bug);
            return fail(console, verb, Failure.internal(bug), args);
        }
    }

    private static int fail(Console console, Verb verb, Failure failure, String[] args) {
        Format format = verb instanceof CommandVerb && !asksForJson(args) ? Format.TABLE : formatOf(console, args);
        console.warn(failure.text(format));
        return verb.exitCode(failure);
    }

    /** The format as far as it can be told without parsing, which may be what failed. */
    private static Format formatOf(Console console, String[] args) {
        return asksForJson(args) ? Format.JSON : asks(args, "table") ? Format.TABLE : Format.of("", console);
    }

    private static boolean asksForJson(String[] args) {
        return asks(args, "json");
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
