package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Sandbox;

/** A verb on which credentials a sandbox has, which shows those that it has then. */
abstract class CredentialTrustVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of an id.");
    private final Syntax.Value credential = syntax.operand(1, "CREDENTIAL", "The name of the credential.");

    CredentialTrustVerb(Syntax syntax) {
        super(syntax);
    }

    @Override
    final int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            Sandbox changed = change(client, sandbox.orEmpty(), credential.orEmpty());
            String names = changed.credentials().isEmpty() ? "no credentials" : String.join(" ", changed.credentials());
            console.print(format.structured() ? Document.of(changed, format, console) : Inert.text(changed.name() + "   " + names) + "\n");
            return OK;
        }
    }

    abstract Sandbox change(Client client, String named, String name);
}
