package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Sandbox;

/** {@code stop}: all that runs in sandboxes ends, their disks stay. */
final class StopVerb extends SandboxesVerb {
    private final Syntax.Value grace =
            syntax.value("TIME", "How long its processes have to end by themselves: seconds, or 500ms, 1m; 10 if absent.", "-t", "--grace");

    StopVerb() {
        super(new Syntax("stop", "End all that runs in sandboxes and keep their disks; `start` brings them back."));
    }

    @Override
    String doing() {
        return "Stopping";
    }

    @Override
    Sandbox change(Client client, String sandbox) {
        String asked = grace.orEmpty();
        return client.stop(sandbox, asked.equals("0") ? Long.valueOf(0) : Amount.milliseconds("grace", grace.orNull()));
    }
}
