package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Sandbox;
import java.util.Objects;

/** {@code create}: a new sandbox that stays until it is removed. */
final class CreateVerb extends Verb {
    private final SandboxOptions options = new SandboxOptions(syntax);
    private final Syntax.Values env = syntax.values("NAME=VALUE", "A variable of all its commands; may be repeated.", "-e", "--env");
    private final Syntax.Values envFiles = syntax.values("FILE", "A file of NAME=VALUE lines; may be repeated.", "--env-file");
    private final Lifetime.Options lifetime = Lifetime.Options.in(syntax);
    private final Syntax.Flag linger = syntax.flag("It stays until it is removed, whatever the configuration says.", "--linger");
    private final Syntax.Flag trace = syntax.flag("Show on standard error where the time went.", "--trace");
    private final Syntax.Flag quiet = syntax.flag("Print the id and nothing else.", "-q", "--quiet");

    CreateVerb() {
        super(new Syntax("create", "Make a sandbox. It runs until it is removed."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            Sandbox created = create(console, client);
            warnings(console, created);
            if (quiet.isSet()) {
                console.print(Inert.text(created.id()) + "\n");
            } else if (format.structured()) {
                console.print(Document.of(created, format, console));
            } else {
                console.print(Inert.text(created.name()) + "   " + Inert.text(created.id()) + "\n");
            }
            return OK;
        }
    }

    private Sandbox create(Console console, Client client) {
        CreateSandbox request = options.request(
                options.name(),
                Pairs.environment(envFiles.all(), env.all(), console.environment()),
                lifetime.lifetime(),
                linger.isSet());
        if (!trace.isSet()) {
            return client.create(request);
        }
        OperationStatus operation = client.createTraced(request);
        console.warn(TraceText.of(operation.steps()));
        return Objects.requireNonNull(operation.sandbox(), "a create that succeeded has its sandbox");
    }

    /** Tells what the daemon changed in the request. */
    static void warnings(Console console, Sandbox created) {
        for (String warning : created.warnings()) {
            console.warn("warning: " + Inert.text(warning) + "\n");
        }
    }
}
