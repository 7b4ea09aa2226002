package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Service;

/** {@code service start}, {@code service stop} and {@code service restart}. */
final class ServiceOrderVerb extends ServiceVerb {
    private final String order;

    private ServiceOrderVerb(String order, String description) {
        super(new Syntax("service " + order, description));
        this.order = order;
    }

    static ServiceOrderVerb start() {
        return new ServiceOrderVerb("start", "Start a service; fine if it runs.");
    }

    static ServiceOrderVerb stop() {
        return new ServiceOrderVerb("stop", "End a service until it is started again, or its sandbox is.");
    }

    static ServiceOrderVerb restart() {
        return new ServiceOrderVerb("restart", "End a service and start it.");
    }

    @Override
    Service service(Console console, Client client) {
        return waiting(console, "Waiting for " + name.orEmpty(), () -> client.services().order(sandbox.orEmpty(), name.orEmpty(), order));
    }

    @Override
    boolean starts() {
        return !order.equals("stop");
    }
}
