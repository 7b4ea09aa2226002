package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;

/** A verb that changes sandboxes, each for itself, and shows what they are then. */
abstract class SandboxesVerb extends Verb {
    private final Syntax.Values named = syntax.operands(0, 1, "SANDBOX", "Name, id, or the beginning of one.");

    SandboxesVerb(Syntax syntax) {
        super(syntax);
    }

    abstract Sandbox change(Client client, String sandbox);

    /** What it does, for whoever waits: "Stopping". */
    abstract String doing();

    /** Goes on after a failure; the exit code is that of the first one. */
    @Override
    int run(Console console) {
        Format format = format(console);
        int code = OK;
        List<Sandbox> changed = new ArrayList<>();
        try (Client client = client(console)) {
            for (String sandbox : named.all()) {
                try {
                    Sandbox now = waiting(console, doing() + " " + sandbox, () -> change(client, sandbox));
                    CreateVerb.warnings(console, now);
                    changed.add(now);
                    if (!format.structured()) {
                        console.print(Inert.text(now.name()) + "   " + Inert.text(now.state()) + "\n");
                    }
                } catch (SandglassException problem) {
                    Failure failure = failure(problem);
                    console.warn(failure.text(format));
                    code = code == OK ? failure.exitCode() : code;
                }
            }
        }
        if (format.structured()) {
            console.print(Document.ofList(changed, format, console));
        }
        return code;
    }
}
