package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Credential;
import java.util.List;

/** {@code credential ls}: the credentials of the daemon, without their values. */
final class CredentialLsVerb extends Verb {
    private final Syntax.Flag quiet = syntax.flag("Print the names and nothing else.", "-q", "--quiet");

    CredentialLsVerb() {
        super(new Syntax("credential ls", "List the credentials, without their values."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<Credential> credentials = client.credentials().list();
            if (quiet.isSet()) {
                credentials.forEach(one -> console.print(Inert.text(one.name()) + "\n"));
            } else {
                console.print(format.structured() ? Document.ofList(credentials, format, console) : CredentialText.table(credentials, console.styled()));
            }
            return OK;
        }
    }
}
