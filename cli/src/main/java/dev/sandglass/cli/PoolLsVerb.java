package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.SandboxPool;
import java.util.List;

/** {@code pool ls}: the pools of the daemon, and how many sandboxes wait in each. */
final class PoolLsVerb extends Verb {
    private final Syntax.Flag quiet = syntax.flag("Print the names and nothing else.", "-q", "--quiet");

    PoolLsVerb() {
        super(new Syntax("pool ls", "List the pools of ready sandboxes, those of recipes included."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<SandboxPool> pools = client.pools().list().pools();
            if (quiet.isSet()) {
                pools.forEach(one -> console.print(Inert.text(one.name()) + "\n"));
            } else {
                console.print(format.structured() ? Document.ofList(pools, format, console) : PoolText.table(pools, console.styled()));
            }
            return OK;
        }
    }
}
