package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Sandbox;

/** {@code pause}: sandboxes rest, with all that runs in them. */
final class PauseVerb extends SandboxesVerb {
    private final Syntax.Flag diskOnly = syntax.flag("End processes instead of keeping them.", "--disk-only");

    PauseVerb() {
        super(new Syntax("pause", "Keep sandboxes with their processes on the disk and free their memory; `resume` lets them go on."));
    }

    @Override
    String doing() {
        return "Pausing";
    }

    @Override
    Sandbox change(Client client, String sandbox) {
        return client.pause(sandbox, diskOnly.isSet());
    }
}
