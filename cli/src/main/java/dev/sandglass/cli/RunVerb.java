package dev.sandglass.cli;

import dev.sandglass.cli.attach.Attachment;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Waiting;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.RunSandbox;
import dev.sandglass.wire.StartCommand;
import java.io.OutputStream;

/** {@code run}: a command in a sandbox of its own. */
final class RunVerb extends CommandVerb {
    private final SandboxOptions options = new SandboxOptions(syntax);
    private final Lifetime.Options lifetime = Lifetime.Options.withoutTimeout(syntax);
    private final Syntax.Flag linger = syntax.flag("With --name: it stays until it is removed, whatever the configuration says.", "--linger");
    private final Syntax.Flag entrypoint = syntax.flag("Execute what the snapshot or template says, as with --image: the words follow its entry point.", "--entrypoint");
    private final Syntax.Values words = syntax.operands(0, 0, "COMMAND", "");

    RunVerb() {
        super(new Syntax(
                "run",
                "Run a command in a new sandbox. The sandbox goes with the command, also when this program or the",
                "daemon is killed meanwhile; with --name it is kept.",
                "One single word is a line for the login shell; several, or after --, are a program and its",
                "arguments; none is an interactive shell. With --image the words follow the image's entry point, in the",
                "place of the command that it says.",
                ""));
        syntax.synopsis("[OPTIONS] [--] [COMMAND [ARGUMENT...]]");
    }

    @Override
    int operands() {
        return 0;
    }

    @Override
    int run(Console console) {
        CreateSandbox wanted = options.request(options.name(), variables(console), lifetime.lifetime(), linger.isSet(), user(), workdir());
        boolean asImage = options.hasImage() || entrypoint.isSet();
        StartCommand command = asImage ? exactly(console, words.all(), null, false) : command(console, words.all(), null, false);
        try (Client client = client(console)) {
            return join(console, (signals, stdout, stderr) -> begin(console, client, signals, new RunSandbox(wanted, command, asImage ? true : null), stdout, stderr), command);
        }
    }

    /** Before the command runs, a signal ends this process, and the daemon takes a sandbox away that has no name; one with a name and its command would stay. */
    private Attachment begin(
            Console console, Client client, ForwardedSignals signals, RunSandbox request, OutputStream stdout, OutputStream stderr) {
        boolean kept = !options.name().isEmpty();
        if (kept) {
            signals.hold();
        }
        Attachment.Begun begun;
        try (Waiting _ = new Waiting(console.err(), console.terminal(Console.ERR), "Creating " + (kept ? options.name() : "a sandbox"))) {
            begun = Attachment.run(client, request, stdout, stderr);
        }
        CreateVerb.warnings(console, begun.sandbox());
        return begun.attachment();
    }
}
