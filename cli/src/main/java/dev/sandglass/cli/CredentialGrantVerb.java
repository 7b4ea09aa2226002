package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Sandbox;

/** {@code credential grant}: requests of a sandbox may get it. */
final class CredentialGrantVerb extends CredentialTrustVerb {
    CredentialGrantVerb() {
        super(new Syntax("credential grant", "Let the requests of a sandbox get a credential. Copies of the sandbox do not have it."));
    }

    @Override
    Sandbox change(Client client, String named, String name) {
        return client.credentials().grant(named, name);
    }
}
