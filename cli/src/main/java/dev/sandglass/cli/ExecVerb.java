package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.wire.StartCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code exec}: a command in a sandbox that runs. */
@Command(
        name = "sandglass exec",
        sortOptions = false,
        customSynopsis = "Usage: sandglass exec [OPTIONS] SANDBOX [--] [COMMAND [ARGUMENT...]]",
        description = {
            "Run a command in a sandbox. One single word is a line for the login shell; several,",
            "or after --, are a program and its arguments; none is an interactive shell.%n"
        })
final class ExecVerb extends CommandVerb {
    @Option(names = {"-d", "--detach"}, description = "Start it, print its id, and leave it running.")
    boolean detach;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name, id, or the beginning of an id.")
    String sandbox = "";

    @Parameters(index = "1..*", hidden = true, paramLabel = "COMMAND")
    List<String> words = new ArrayList<>();

    @Override
    int operands() {
        return 1;
    }

    @Override
    int run(Console console) {
        Map<String, String> variables = Objects.requireNonNullElse(Pairs.parse("env", env, console.environment()), Map.of());
        StartCommand command = command(console, words, variables, detach);
        try (Client client = client(console)) {
            if (!detach) {
                return join(console, client, sandbox, command);
            }
            var started = client.start(sandbox, command);
            console.print(format(console) == Format.JSON ? JsonText.of(started, console) : started.id() + "\n");
            return OK;
        }
    }
}
