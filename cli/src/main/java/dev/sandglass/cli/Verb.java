package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Target;
import dev.sandglass.cli.terminal.Waiting;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** One verb of the command line, with the options that all of them have. */
abstract class Verb {
    static final int OK = 0;

    final Syntax syntax;
    private final Common common;

    Verb(Syntax syntax) {
        this.syntax = syntax;
        this.common = new Common(syntax);
    }

    /** Does the work and returns the exit code. */
    abstract int run(Console console);

    /** What is parsed; a verb may mark where its own options end. */
    String[] prepare(CommandSpec spec, String[] args) {
        return args;
    }

    /** Parses and runs. */
    final int run(Console console, String[] args) {
        CommandLine line = new CommandLine(syntax.spec())
                .setExpandAtFiles(false)
                .setOverwrittenOptionsAllowed(true)
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.parseArgs(prepare(syntax.spec(), args));
        if (common.help.isSet()) {
            console.print(line.getUsageMessage());
            return OK;
        }
        return run(console);
    }

    Client client(Console console) {
        return new Client(
                Target.find(common.url.orNull(), common.tokenFile.orNull(), common.dataDir.orNull(), console.environment()));
    }

    /** The options by which another process finds the same daemon; the token itself is never among them. */
    final List<String> sameDaemon(Console console) {
        return Target.options(common.url.orNull(), common.tokenFile.orNull(), common.dataDir.orNull(), console.environment());
    }

    /** The format that was asked for, empty if none was. */
    final String askedFormat() {
        return common.output.orEmpty();
    }

    /** Whether it prints what a command or a file holds, so that a pipe alone does not ask for JSON. */
    boolean outputIsData() {
        return false;
    }

    /** How this verb prints. */
    final Format format(Console console) {
        return outputIsData() && askedFormat().isEmpty() ? Format.TABLE : Format.of(askedFormat(), console);
    }

    /** Does something that may take a while; what tells so on a terminal is erased before anything else is printed. */
    static <T> T waiting(Console console, String what, Supplier<T> work) {
        try (Waiting _ = new Waiting(console.err(), console.terminal(Console.ERR), what)) {
            return work.get();
        }
    }

    final Failure failure(SandglassException problem) {
        return Failure.of(problem, new Wording(syntax.spec()));
    }

    /** The exit code for a failure of Sandglass, as opposed to one of the command it runs. */
    int exitCode(Failure failure) {
        return failure.exitCode();
    }

    private static final class Common {
        private final Syntax.Value output;
        private final Syntax.Value url;
        private final Syntax.Value tokenFile;
        private final Syntax.Value dataDir;
        private final Syntax.Flag help;

        Common(Syntax syntax) {
            output = syntax.common("FORMAT", syntax.printing(), "-o", "--output", "--format");
            url = syntax.common("URL", "The daemon's address; if absent SANDGLASS_URL, else the local socket.", "--url");
            tokenFile = syntax.common("FILE", "A file with the token; if absent SANDGLASS_TOKEN_FILE or SANDGLASS_API_KEY, else the local one.", "--token-file");
            dataDir = syntax.common("DIR", "The data directory of the local daemon to talk to.", "--data-dir");
            help = syntax.help();
        }
    }
}
