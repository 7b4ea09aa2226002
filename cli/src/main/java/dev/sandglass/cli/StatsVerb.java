package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.HostStats;
import dev.sandglass.wire.Sample;
import dev.sandglass.wire.SandboxStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code stats}: what sandboxes and the machine use. */
final class StatsVerb extends Verb {
    private final Syntax.Values named =
            syntax.operands(0, 0, "SANDBOX", "Name, id, or the beginning of one; if absent all that run, and this machine.");
    private final Watching watching = new Watching(syntax);

    StatsVerb() {
        super(new Syntax("stats", "Show what sandboxes use of processors, memory, disk and processes, and what they may use."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            return watching.show(console, () -> named.all().isEmpty() ? host(console, client, format) : sandboxes(console, client, format));
        }
    }

    private static String host(Console console, Client client, Format format) {
        HostStats host = client.stats();
        if (format.structured()) {
            return Document.of(host, format, console);
        }
        return table(host.sandboxes(), console.styled())
                + "\nmachine     " + used(host.cpusUsed()) + " of " + host.cpus() + " CPUs, "
                + Bytes.shown(host.memoryUsedBytes()) + " of " + Bytes.shown(host.memoryBytes()) + " memory, "
                + Bytes.shown(host.pool().freeBytes()) + " free in the pool"
                + "\nsandboxes   " + used(host.total().cpus()) + " CPUs, " + Bytes.shown(host.total().memoryBytes()) + " memory"
                + "\ndaemon      " + Bytes.shown(host.daemon().rssBytes()) + " memory, " + host.daemon().threads() + " threads, "
                + host.daemon().descriptors() + " descriptors\n";
    }

    private String sandboxes(Console console, Client client, Format format) {
        List<SandboxStats> all = new ArrayList<>();
        for (String sandbox : named.all()) {
            all.add(client.stats(sandbox));
        }
        if (!format.structured()) {
            return table(all, console.styled());
        }
        return all.size() == 1 ? Document.of(all.get(0), format, console) : Document.ofList(all, format, console);
    }

    private static String table(List<SandboxStats> all, boolean styled) {
        Table table = new Table("NAME", "CPUS", "MEMORY", "DISK", "PROCESSES", "OOM");
        for (SandboxStats stats : all) {
            Sample now = stats.now();
            table.row(
                    stats.name(),
                    used(now.cpus()) + " / " + LsVerb.number(stats.limits().cpus()),
                    Bytes.shown(now.memoryBytes()) + " / " + Bytes.shown(stats.limits().memoryBytes()),
                    shown(now.diskBytes()) + " / " + Bytes.shown(stats.limits().diskBytes()),
                    (now.processes() == null ? "-" : now.processes().toString()) + " / " + stats.limits().processes(),
                    Long.toString(stats.oomKills()));
        }
        return table.text(styled);
    }

    private static String shown(@Nullable Long bytes) {
        return bytes == null ? "-" : Bytes.shown(bytes);
    }

    private static String used(double cpus) {
        return String.format(Locale.ROOT, "%.2f", cpus);
    }
}
