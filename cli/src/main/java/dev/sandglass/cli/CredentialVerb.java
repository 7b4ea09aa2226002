package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Credential;

/** A verb on a credential, which shows it then. */
abstract class CredentialVerb extends Verb {
    final Syntax.Value name = syntax.operand(0, "CREDENTIAL", "The name of the credential.");

    CredentialVerb(Syntax syntax) {
        super(syntax);
    }

    @Override
    final int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            Credential credential = credential(console, client);
            console.print(format.structured() ? Document.of(credential, format, console) : CredentialText.line(credential));
            return OK;
        }
    }

    abstract Credential credential(Console console, Client client);
}
