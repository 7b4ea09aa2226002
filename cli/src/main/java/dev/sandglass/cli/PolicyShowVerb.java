package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.NetworkPolicy;

/** {@code policy show}: what a sandbox may reach. */
final class PolicyShowVerb extends PolicyVerb {
    PolicyShowVerb() {
        super(new Syntax("policy show", "Show what a sandbox may reach: the first rule that matches decides."));
    }

    @Override
    NetworkPolicy policy(Client client, String named) {
        return client.policy(named);
    }
}
