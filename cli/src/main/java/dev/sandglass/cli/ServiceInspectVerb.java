package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Service;

/** {@code service inspect}: all there is to know about a service. */
final class ServiceInspectVerb extends ServiceVerb {
    ServiceInspectVerb() {
        super(new Syntax("service inspect", "Show all there is to know about a service."));
    }

    @Override
    Service service(Console console, Client client) {
        return client.services().get(sandbox.orEmpty(), name.orEmpty());
    }

    @Override
    boolean starts() {
        return false;
    }

    @Override
    String shown(Service service) {
        return ServiceText.all(service);
    }
}
