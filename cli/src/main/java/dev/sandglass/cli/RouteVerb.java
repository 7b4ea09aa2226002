package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Route;
import java.util.List;
import java.util.Objects;

/** A verb on a route, which shows it then. */
abstract class RouteVerb extends Verb {
    final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    final Syntax.Value name = syntax.operand(1, "ROUTE", "The name of the route.");

    RouteVerb(Syntax syntax) {
        super(syntax);
    }

    @Override
    final int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            Route route = route(console, client);
            for (String warning : Objects.requireNonNullElse(route.warnings(), List.<String>of())) {
                console.warn("warning: " + Inert.text(warning) + "\n");
            }
            console.print(format.structured() ? Document.of(route, format, console) : RouteText.page(route));
            return OK;
        }
    }

    abstract Route route(Console console, Client client);
}
