package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;

/** {@code credential rm}: credentials are gone, for every sandbox. */
final class CredentialRmVerb extends Verb {
    private final Syntax.Values named = syntax.operands(0, 1, "CREDENTIAL", "The name of the credential.");
    private final Syntax.Flag force = syntax.flag("One that is not there is fine.", "-f", "--force");

    CredentialRmVerb() {
        super(new Syntax("credential rm", "Remove credentials. They are taken from every sandbox that has them."));
    }

    /** Goes on after a failure; the exit code is that of the first one. */
    @Override
    int run(Console console) {
        Format format = format(console);
        int code = OK;
        List<String> removed = new ArrayList<>();
        try (Client client = client(console)) {
            for (String name : named.all()) {
                try {
                    client.deleteCredential(name);
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
