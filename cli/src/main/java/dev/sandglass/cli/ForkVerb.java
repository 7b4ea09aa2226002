package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Sandbox;
import java.util.Map;

/** {@code fork}: copies of a sandbox that goes on, or of a snapshot. */
final class ForkVerb extends Verb {
    private final Syntax.Value source = syntax.operand(0, "SOURCE", "A sandbox or a snapshot: name, id, or the beginning of an id.");
    private final Syntax.Value count = syntax.value("N", "How many; 1 if absent.", "-n", "--count");
    private final Syntax.Value name = syntax.value("NAME", "Their name, with -1, -2 and so on if there are several; random ones if absent.", "--name");
    private final Syntax.Value memory = syntax.value("MB", "Memory limit: megabytes, or 512M, 2G.", "-m", "--memory");
    private final Syntax.Value cpus = syntax.value("N", "CPU limit: 0.5, 2.", "--cpus");
    private final Syntax.Values env = syntax.values("NAME=VALUE", "A variable for commands; may be repeated.", "-e", "--env");
    private final Syntax.Values labels = syntax.values("NAME=VALUE", "A label; may be repeated.", "--label");
    private final Syntax.Value timeout = syntax.value("TIME", "End each when it has run so long: seconds, or 30m, 2h; 0 is never.", "--timeout");
    private final Syntax.Flag diskOnly = syntax.flag("Copy the disk only; programs start anew.", "--disk-only");
    private final VolumeOptions volumes = new VolumeOptions(syntax, "fork");
    private final Syntax.Flag quiet = syntax.flag("Print the ids and nothing else.", "-q", "--quiet");

    ForkVerb() {
        super(new Syntax("fork", "Make copies of a sandbox that runs, or of a snapshot: on gVisor with all processes going on in each."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        Long copies = Amount.count("count", count.orNull());
        ForkSandbox request = new ForkSandbox(
                copies == null ? null : Math.toIntExact(Math.min(copies, Integer.MAX_VALUE)),
                name.orNull(),
                Amount.megabytes("memory", memory.orNull()),
                Amount.number("cpus", cpus.orNull()),
                Pairs.parse("env", env.all(), Map.of()),
                Pairs.parse("label", labels.all(), Map.of()),
                Amount.seconds("timeout", timeout.orNull()),
                diskOnly.isSet() ? true : null,
                volumes.mounts(),
                volumes.from());
        String of = source.orEmpty();
        try (Client client = client(console)) {
            Forked forked = waiting(console, "Forking " + of, () -> client.fork(of, request));
            if (format.structured() && !quiet.isSet()) {
                console.print(Document.of(forked, format, console));
                return OK;
            }
            for (Sandbox copy : forked.sandboxes()) {
                console.print(quiet.isSet() ? Inert.text(copy.id()) + "\n" : Inert.text(copy.name()) + "   " + Inert.text(copy.id()) + "\n");
            }
            if (!quiet.isSet()) {
                console.print(Inert.text(of) + " stood still for " + LsVerb.milliseconds(forked.pauseMs()) + "\n");
            }
            return OK;
        }
    }
}
