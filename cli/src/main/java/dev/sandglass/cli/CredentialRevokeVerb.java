package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Sandbox;

/** {@code credential revoke}: requests of a sandbox get it no more. */
final class CredentialRevokeVerb extends CredentialTrustVerb {
    CredentialRevokeVerb() {
        super(new Syntax("credential revoke", "Take a credential from a sandbox, from the next request on."));
    }

    @Override
    Sandbox change(Client client, String named, String name) {
        return client.credentials().revoke(named, name);
    }
}
