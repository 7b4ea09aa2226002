package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.StartCommand;
import java.util.List;

/** {@code shell}: a login shell in a sandbox that runs. */
final class ShellVerb extends CommandVerb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");

    ShellVerb() {
        super(new Syntax(
                "shell",
                "Open a login shell in a sandbox, on a terminal where there is one here; from a pipe or file it",
                "reads its commands.",
                ""));
    }

    @Override
    int operands() {
        return 1;
    }

    @Override
    int run(Console console) {
        StartCommand command = command(console, List.of(), variables(console), false);
        try (Client client = client(console)) {
            return join(console, Opening.start(client, sandbox.orEmpty(), command), command);
        }
    }
}
