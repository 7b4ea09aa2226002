package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.StartCommand;
import java.util.concurrent.ThreadLocalRandom;

/** {@code run}: a command in a sandbox of its own. */
final class RunVerb extends CommandVerb {
    private final SandboxOptions options = new SandboxOptions(syntax);
    private final Syntax.Values words = syntax.operands(0, 0, "COMMAND", "");

    RunVerb() {
        super(new Syntax(
                "run",
                "Run a command in a new sandbox and remove the sandbox afterwards; with --name it is kept.",
                "One single word is a line for the login shell; several, or after --, are a program and its",
                "arguments; none is an interactive shell.",
                ""));
        syntax.synopsis("[OPTIONS] [--] [COMMAND [ARGUMENT...]]");
    }

    @Override
    int operands() {
        return 0;
    }

    @Override
    int run(Console console) {
        String name = options.name().isEmpty() ? throwawayName() : options.name();
        CreateSandbox request = options.request(name, variables(console));
        StartCommand command = command(console, words.all(), null, false);
        try (Client client = client(console)) {
            if (!options.name().isEmpty()) {
                return inside(console, client, request, command);
            }
            // Named by us, so that it can be removed even when we are stopped before its creation is answered.
            try (Throwaway _ = new Throwaway(client.again(), name, console)) {
                return inside(console, client, request, command);
            }
        }
    }

    private int inside(Console console, Client client, CreateSandbox request, StartCommand command) {
        Sandbox sandbox = Creation.await(console, client, request);
        CreateVerb.warnings(console, sandbox);
        return join(console, client, sandbox.id(), command);
    }

    private static String throwawayName() {
        return "run-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 50, 1L << 51), 36);
    }
}
