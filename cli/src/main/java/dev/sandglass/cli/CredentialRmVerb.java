package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code credential rm}: credentials are gone, for every sandbox. */
final class CredentialRmVerb extends RemovalVerb {
    CredentialRmVerb() {
        super(new Syntax("credential rm", "Remove credentials. They are taken from every sandbox that has them."), "CREDENTIAL", "The name of the credential.");
    }

    @Override
    void remove(Client client, String name) {
        client.credentials().delete(name);
    }
}
