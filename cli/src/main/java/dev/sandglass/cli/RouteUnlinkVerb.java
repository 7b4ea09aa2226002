package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import java.util.List;

/** {@code route unlink}: links that were given away are worthless. */
final class RouteUnlinkVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Value target = syntax.operand(1, "ROUTE|PORT", "The name of a route, or a port.");

    RouteUnlinkVerb() {
        super(new Syntax("route unlink", "Make all links to a route, or to a port itself, worthless. A secret stays what it is."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        LinkTarget to = LinkTarget.of(target.orEmpty());
        try (Client client = client(console)) {
            client.routes().unlink(sandbox.orEmpty(), to.kind(), to.name());
            console.print(format.structured() ? Document.ofNames("unlinked", List.of(to.name()), format, console) : Inert.text(to.name()) + "\n");
            return OK;
        }
    }
}
