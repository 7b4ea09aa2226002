package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Command;

/** {@code attach}: joins a command that runs already. */
final class AttachVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Value handle = syntax.optionalOperand(1, "COMMAND", "Its handle; if absent the only one that runs.");
    private final Syntax.Flag noStdin = syntax.flag("Pass no standard input on.", "-n", "--no-stdin");

    AttachVerb() {
        super(new Syntax(
                "attach",
                "Join a command that runs already, beside others who have: its kept output is shown, then what",
                "comes. On a terminal Ctrl-P Ctrl-Q leaves, and the command goes on.",
                "").printing("json or yaml: so errors are told; the output is as it comes."));
    }

    @Override
    boolean outputIsData() {
        return true;
    }

    @Override
    int run(Console console) {
        try (Client client = client(console)) {
            Command command = Handle.find(client, sandbox.orEmpty(), handle.orEmpty());
            boolean input = !noStdin.isSet() && !console.terminal(Console.IN) && command.state().equals("running");
            return JoinedCommand.attach(console, client, sandbox.orEmpty(), command, input || command.pty());
        }
    }

    @Override
    int exitCode(Failure failure) {
        return CommandVerb.FAILED;
    }
}
