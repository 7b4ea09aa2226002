package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Route;
import java.util.List;

/** {@code route ls}: the routes of one sandbox or of all. */
final class RouteLsVerb extends Verb {
    private final Syntax.Value sandbox = syntax.optionalOperand(0, "SANDBOX", "Name, id, or the beginning of one; all if absent.");
    private final Syntax.Flag quiet = syntax.flag("Print the names and nothing else.", "-q", "--quiet");

    RouteLsVerb() {
        super(new Syntax("route ls", "List routes, without their secrets."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<Route> routes = sandbox.orNull() == null ? client.routes().list() : client.routes().list(sandbox.orEmpty());
            if (quiet.isSet()) {
                routes.forEach(one -> console.print(Inert.text(one.name()) + "\n"));
            } else {
                console.print(format.structured() ? Document.ofList(routes, format, console) : RouteText.table(routes, console.styled()));
            }
            return OK;
        }
    }
}
