package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code pool rm}: no sandboxes are kept ready any more. */
final class PoolRmVerb extends RemovalVerb {
    PoolRmVerb() {
        super(new Syntax("pool rm", "End pools: the sandboxes that wait go, those that were claimed stay."), "POOL", "The snapshot or template of which it is.");
    }

    @Override
    void remove(Client client, String name) {
        client.pools().delete(name);
    }
}
