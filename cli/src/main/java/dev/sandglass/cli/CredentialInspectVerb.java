package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Credential;

/** {@code credential inspect}: all of it but its value. */
final class CredentialInspectVerb extends CredentialVerb {
    CredentialInspectVerb() {
        super(new Syntax("credential inspect", "Show a credential without its value."));
    }

    @Override
    Credential credential(Console console, Client client) {
        return client.credentials().get(name.orEmpty());
    }
}
