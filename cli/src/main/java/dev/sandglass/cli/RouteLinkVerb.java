package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.CreateLink;
import dev.sandglass.wire.RouteLink;

/** {@code route link}: a URL that lets in for a while. */
final class RouteLinkVerb extends Verb {
    /** As docs/routes.md has it. */
    private static final long LONGEST_SECONDS = 365L * 24 * 3600;

    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Value target = syntax.operand(1, "ROUTE|PORT", "The name of a route, or a port, for which there need be none.");
    private final Syntax.Value expires = syntax.value("TIME", "So long it lets in; 1h if absent.", "--expires");
    private final Syntax.Flag byHost = syntax.flag("By host name, also to a route.", "--host-name");
    private final Syntax.Flag quiet = syntax.flag("Print the URL and nothing else.", "-q", "--quiet");

    RouteLinkVerb() {
        super(new Syntax("route link", "Make a URL that lets in to a private route or a port until it expires, whoever has it."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        LinkTarget to = LinkTarget.of(target.orEmpty());
        try (Client client = client(console)) {
            RouteLink link = client.routes().link(sandbox.orEmpty(), to.kind(), to.name(), new CreateLink(Amount.seconds("--expires", expires.orNull(), LONGEST_SECONDS, "365d")));
            boolean structured = format.structured() && !quiet.isSet();
            console.print(structured ? Document.of(link, format, console) : Inert.text(byHost.isSet() ? link.hostUrl() : link.url()) + "\n");
            return OK;
        }
    }
}
