package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;

/** A verb that removes what is named, one after the other. */
abstract class RemovalVerb extends Verb {
    private final Syntax.Values named;
    private final Syntax.Flag force;

    RemovalVerb(Syntax syntax, String what, String how) {
        this(syntax, 0, what, how);
    }

    /** @param first the index of the first name */
    RemovalVerb(Syntax syntax, int first, String what, String how) {
        super(syntax);
        this.named = syntax.operands(first, 1, what, how);
        this.force = syntax.flag("One that is not there is fine.", "-f", "--force");
    }

    abstract void remove(Client client, String name);

    /** Goes on after a failure; the exit code is that of the first one. */
    @Override
    final int run(Console console) {
        Format format = format(console);
        int code = OK;
        List<String> removed = new ArrayList<>();
        try (Client client = client(console)) {
            for (String name : named.all()) {
                try {
                    remove(client, name);
                    removed.add(name);
                    if (!format.structured()) {
                        console.print(Inert.text(name) + "\n");
                    }
                } catch (SandglassException problem) {
                    Failure failure = failure(problem);
                    if (!(force.isSet() && failure.exitCode() == 3)) {
                        console.warn(failure.text(format));
                        code = code == OK ? failure.exitCode() : code;
                    }
                }
            }
        }
        if (format.structured()) {
            console.print(Document.ofNames("removed", removed, format, console));
        }
        return code;
    }
}
