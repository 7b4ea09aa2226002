package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.TemplateHistory;

/** {@code template history}: what a template was built into. */
final class TemplateHistoryVerb extends Verb {
    private final Syntax.Value name = syntax.operand(0, "TEMPLATE", "The name of the template.");

    TemplateHistoryVerb() {
        super(new Syntax("template history", "List what a template was built into, newest first."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            TemplateHistory history = client.templates().history(name.orEmpty());
            console.print(format.structured() ? Document.of(history, format, console) : TemplateText.history(history.versions(), console.styled()));
            return OK;
        }
    }
}
