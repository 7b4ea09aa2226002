package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Service;

/** A verb on a service of a sandbox, which shows it then. One that has failed is a failure of the verb. */
abstract class ServiceVerb extends Verb {
    static final int FAILED = 1;

    final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    final Syntax.Value name = syntax.operand(1, "SERVICE", "The name of the service.");

    ServiceVerb(Syntax syntax) {
        super(syntax);
    }

    @Override
    final int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            Service service = service(console, client);
            console.print(format.structured() ? Document.of(service, format, console) : shown(service));
            if (!starts() || !service.state().equals("failed")) {
                return OK;
            }
            console.warn("warning: it has failed" + (service.reason() == null ? "" : ": " + Inert.text(service.reason())) + "; `sandglass service logs` shows what it printed\n");
            return FAILED;
        }
    }

    abstract Service service(Console console, Client client);

    /** Whether the service is to run afterwards. */
    abstract boolean starts();

    /** The service for people. */
    String shown(Service service) {
        return ServiceText.line(service);
    }
}
