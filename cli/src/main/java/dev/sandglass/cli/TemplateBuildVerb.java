package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildTemplate;

/** {@code template build}: a template becomes a snapshot that has its name. */
final class TemplateBuildVerb extends Verb {
    private final Syntax.Value name = syntax.operand(0, "TEMPLATE", "The name of the template.");
    private final Syntax.Flag keep = syntax.flag("Leave the sandbox of a build that fails, to look at.", "--keep");
    private final Syntax.Flag noCache = syntax.flag("Do every step, also those that an earlier build has done.", "--no-cache");
    private final Syntax.Flag noWait = syntax.flag("Return at once, and print the build.", "--no-wait");
    private final Syntax.Flag quiet = syntax.flag("Do not show what the steps print.", "-q", "--quiet");

    TemplateBuildVerb() {
        super(new Syntax("template build", "Build a template. Its name stands for the new snapshot then; sandboxes that run keep what they have."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            Build begun = client.templates().build(name.orEmpty(), new BuildTemplate(keep.isSet() ? true : null, noCache.isSet() ? false : null));
            if (noWait.isSet()) {
                console.print(format.structured() ? Document.of(begun, format, console) : begun.id() + "   " + begun.state() + "\n");
                return OK;
            }
            return new BuildView(console, format, quiet.isSet()).show(client, begun);
        }
    }
}
