package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Credential;
import dev.sandglass.wire.RotateCredential;

/** {@code credential rotate}: another value. */
final class CredentialRotateVerb extends CredentialVerb {
    private final SecretOptions secret = new SecretOptions(syntax);

    CredentialRotateVerb() {
        super(new Syntax("credential rotate", "Give a credential another value, from the next request on."));
    }

    @Override
    Credential credential(Console console, Client client) {
        return client.credentials().rotate(name.orEmpty(), new RotateCredential(secret.value(console)));
    }
}
