package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Sandbox;

/** {@code resume}: what was paused goes on. */
final class ResumeVerb extends SandboxesVerb {
    private final Syntax.Flag diskOnly = syntax.flag("Give the processes up and start anew on the disk.", "--disk-only");

    ResumeVerb() {
        super(new Syntax("resume", "Let paused sandboxes go on where they were."));
    }

    @Override
    String doing() {
        return "Resuming";
    }

    @Override
    Sandbox change(Client client, String sandbox) {
        return client.resume(sandbox, diskOnly.isSet());
    }
}
