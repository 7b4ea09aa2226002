package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CredentialUsage;
import java.util.List;

/** {@code credential reset}: a sandbox begins anew with a budget. */
final class CredentialResetVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of an id.");
    private final Syntax.Value credential = syntax.operand(1, "CREDENTIAL", "The name of the credential.");

    CredentialResetVerb() {
        super(new Syntax("credential reset", "Let a sandbox begin anew with the budget of a credential."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            CredentialUsage now = client.credentials().reset(sandbox.orEmpty(), credential.orEmpty());
            console.print(format.structured() ? Document.of(now, format, console) : CredentialText.usage(List.of(now), console.styled()));
            return OK;
        }
    }
}
