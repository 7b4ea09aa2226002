package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Sandbox;

/** {@code create}: a new sandbox that stays until it is removed. */
final class CreateVerb extends Verb {
    private final SandboxOptions options = new SandboxOptions(syntax);
    private final Syntax.Values env = syntax.values("NAME=VALUE", "A variable of all its commands; may be repeated.", "-e", "--env");
    private final Syntax.Values envFiles = syntax.values("FILE", "A file of NAME=VALUE lines; may be repeated.", "--env-file");
    private final Syntax.Value user = syntax.value("USER", "As whom its commands run: name, uid, name:group or uid:gid; root if absent.", "-u", "--user");
    private final Syntax.Value workdir = syntax.value("DIR", "Where its commands run; the user's home if absent.", "-w", "--workdir");
    private final Lifetime.Options lifetime = Lifetime.Options.in(syntax);
    private final Syntax.Flag linger = syntax.flag("It stays until it is removed, whatever the configuration says.", "--linger");
    private final Syntax.Flag await = syntax.flag("Return when it runs, as happens unless --no-wait is given.", "--wait");
    private final Syntax.Flag noWait = syntax.flag("Return at once, and print the operation that makes it.", "--no-wait");
    private final Syntax.Flag trace = syntax.flag("Show on standard error where the time went.", "--trace");
    private final Syntax.Flag quiet = syntax.flag("Print the id and nothing else.", "-q", "--quiet");

    CreateVerb() {
        super(new Syntax("create", "Make a sandbox. It runs until it is removed."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        if (noWait.isSet() && (await.isSet() || trace.isSet() || quiet.isSet())) {
            throw new UsageException("--no-wait goes with none of --wait, --trace and --quiet");
        }
        CreateSandbox request = options.request(
                options.name(),
                Pairs.environment(envFiles.all(), env.all(), console.environment()),
                lifetime.lifetime(),
                linger.isSet(),
                user.orNull(),
                workdir.orNull());
        try (Client client = client(console)) {
            if (noWait.isSet()) {
                OperationStatus begun = client.createLater(request);
                console.print(format.structured()
                        ? Document.of(begun, format, console)
                        : Inert.text(begun.id()) + "   " + Inert.text(begun.state()) + "\n");
                return OK;
            }
            Sandbox created = trace.isSet() ? traced(console, client, request) : Creation.await(console, client, request);
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

    private static Sandbox traced(Console console, Client client, CreateSandbox request) {
        OperationStatus operation = client.createTraced(request);
        console.warn(TraceText.of(operation.steps()));
        return Creation.outcome(operation);
    }

    /** Tells what the daemon changed in the request. */
    static void warnings(Console console, Sandbox created) {
        for (String warning : created.warnings()) {
            console.warn("warning: " + Inert.text(warning) + "\n");
        }
    }
}
