package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code service rm}: services that are ended and removed from the disk of a sandbox. */
final class ServiceRmVerb extends RemovalVerb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");

    ServiceRmVerb() {
        super(new Syntax("service rm", "End services and remove them from a sandbox."), 1, "SERVICE", "Their names.");
    }

    @Override
    void remove(Client client, String name) {
        client.services().delete(sandbox.orEmpty(), name);
    }
}
