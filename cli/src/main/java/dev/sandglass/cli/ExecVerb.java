package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.StartCommand;

/** {@code exec}: a command in a sandbox that runs. */
final class ExecVerb extends CommandVerb {
    private final Syntax.Flag detach = syntax.flag("Start it, print its id, and leave it running; with -i its input stays open for attach.", "-d", "--detach");
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Values words = syntax.operands(1, 0, "COMMAND", "");

    ExecVerb() {
        super(new Syntax(
                "exec",
                "Run a command in a sandbox. One single word is a line for the login shell; several, or after --,",
                "are a program and its arguments; none is an interactive shell.",
                ""));
        syntax.synopsis("[OPTIONS] SANDBOX [--] [COMMAND [ARGUMENT...]]");
    }

    @Override
    int operands() {
        return 1;
    }

    @Override
    int run(Console console) {
        StartCommand command = command(console, words.all(), variables(console), detach.isSet());
        try (Client client = client(console)) {
            if (!detach.isSet()) {
                return join(console, Opening.start(client, sandbox.orEmpty(), command), command);
            }
            var started = client.start(sandbox.orEmpty(), command);
            console.print(format(console).structured() ? Document.of(started, format(console), console) : started.id() + "\n");
            return OK;
        }
    }
}
