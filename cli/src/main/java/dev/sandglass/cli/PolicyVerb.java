package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.NetworkPolicy;

/** A verb on what a sandbox may reach, which shows the policy that is in force then. */
abstract class PolicyVerb extends Verb {
    final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");

    PolicyVerb(Syntax syntax) {
        super(syntax);
    }

    @Override
    final int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            NetworkPolicy policy = policy(client, sandbox.orEmpty());
            console.print(format.structured() ? Document.of(policy, format, console) : PolicyText.of(policy));
            return OK;
        }
    }

    abstract NetworkPolicy policy(Client client, String named);
}
