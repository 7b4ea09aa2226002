package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.TemplateStatus;
import java.util.List;

/** {@code template ls}: the templates of the daemon, and what they were built into. */
final class TemplateLsVerb extends Verb {
    private final Syntax.Flag quiet = syntax.flag("Print the names and nothing else.", "-q", "--quiet");

    TemplateLsVerb() {
        super(new Syntax("template ls", "List the templates and whether they are built."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<TemplateStatus> templates = client.templates().list();
            if (quiet.isSet()) {
                templates.forEach(one -> console.print(Inert.text(one.name()) + "\n"));
            } else {
                console.print(format.structured() ? Document.ofList(templates, format, console) : TemplateText.table(templates, console.styled()));
            }
            return OK;
        }
    }
}
