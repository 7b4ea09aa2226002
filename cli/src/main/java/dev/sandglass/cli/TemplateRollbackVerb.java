package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.RollbackTemplate;
import dev.sandglass.wire.TemplateStatus;

/** {@code template rollback}: the name stands for an earlier version. */
final class TemplateRollbackVerb extends Verb {
    private final Syntax.Value name = syntax.operand(0, "TEMPLATE", "The name of the template.");
    private final Syntax.Value version = syntax.value("N", "The version; the one before if absent.", "--version");

    TemplateRollbackVerb() {
        super(new Syntax("template rollback", "Let the name of a template stand for an earlier version; sandboxes that run keep what they have."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            TemplateStatus now = client.templates().rollback(name.orEmpty(), new RollbackTemplate(Amount.count("version", version.orNull())));
            console.print(format.structured() ? Document.of(now, format, console) : TemplateText.line(now));
            return OK;
        }
    }
}
