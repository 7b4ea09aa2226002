package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.client.Target;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** One verb of the command line, with the options that all of them have. */
abstract class Verb {
    static final int OK = 0;

    @Option(
            names = {"-o", "--output", "--format"},
            paramLabel = "FORMAT",
            description = "table or json; a table on a terminal, JSON in a pipe, if absent.")
    String output = "";

    @Option(names = "--url", paramLabel = "URL", description = "The daemon's address; SANDGLASS_URL or the local socket if absent.")
    @Nullable String url;

    @Option(names = "--token-file", paramLabel = "FILE", description = "A file with the token; SANDGLASS_API_KEY or the local one if absent.")
    @Nullable String tokenFile;

    @Option(names = "--data-dir", paramLabel = "DIR", description = "The data directory of the local daemon to talk to.")
    @Nullable String dataDir;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    boolean help;

    /** Does the work and returns the exit code. */
    abstract int run(Console console);

    Client client(Console console) {
        return new Client(Target.find(url, tokenFile, dataDir, console.environment()));
    }

    /** How this verb prints when nothing is asked for. */
    Format format(Console console) {
        return Format.of(output, console);
    }

    /** The exit code for a failure of Sandglass, as opposed to one of the command it runs. */
    int exitCode(Failure failure) {
        return failure.exitCode();
    }
}
