package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Sandbox;

/** {@code refresh}: the times after which sandboxes end begin anew. */
final class RefreshVerb extends SandboxesVerb {
    RefreshVerb() {
        super(new Syntax("refresh", "Let the timeout, ttl and hard-ttl of sandboxes begin anew."));
    }

    @Override
    String doing() {
        return "Refreshing";
    }

    @Override
    Sandbox change(Client client, String sandbox) {
        return client.refresh(sandbox);
    }
}
