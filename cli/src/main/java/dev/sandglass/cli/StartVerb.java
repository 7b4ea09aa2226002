package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Sandbox;

/** {@code start}: sandboxes that were stopped run again. */
final class StartVerb extends SandboxesVerb {
    StartVerb() {
        super(new Syntax("start", "Start sandboxes that were stopped or have failed, on the disks that they left."));
    }

    @Override
    String doing() {
        return "Starting";
    }

    @Override
    Sandbox change(Client client, String sandbox) {
        return client.start(sandbox);
    }
}
