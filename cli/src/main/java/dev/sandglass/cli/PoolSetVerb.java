package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.SandboxPool;
import dev.sandglass.wire.SetPool;

/** {@code pool set}: sandboxes of a snapshot or template are kept ready. */
final class PoolSetVerb extends Verb {
    private final Syntax.Value name = syntax.operand(0, "SNAPSHOT|TEMPLATE", "What they begin with.");
    private final Syntax.Value least = syntax.value("N", "How many are kept ready; 0 keeps none.", "--min");
    private final Syntax.Value most = syntax.value("N", "How many when more are asked for than there are; as --min if absent.", "--max");
    private final Syntax.Value warmUp = syntax.value("CMD", "What runs in each before it is ready, by a login shell; it must end with 0.", "--warm-up");

    PoolSetVerb() {
        super(new Syntax("pool set", "Keep sandboxes of a snapshot or template ready: `create --from` claims one.", "In the place of what was set before, or of what the recipe of the template says."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        if (least.orNull() == null) {
            throw new UsageException("--min is missing (expected: how many are to be kept ready; 0 keeps none)");
        }
        SetPool request = new SetPool(Amount.id("min", least.orEmpty()), most.orNull() == null ? null : Amount.id("max", most.orEmpty()), warmUp.orNull());
        try (Client client = client(console)) {
            SandboxPool pool = client.pools().set(name.orEmpty(), request);
            console.print(format.structured() ? Document.of(pool, format, console) : PoolText.line(pool));
            return OK;
        }
    }
}
