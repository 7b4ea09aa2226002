package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.TemplateStatus;

/** {@code template get}: all of a template: what it includes, what a build reaches, what it was built into. */
final class TemplateGetVerb extends Verb {
    private final Syntax.Value name = syntax.operand(0, "TEMPLATE", "The name of the template.");

    TemplateGetVerb() {
        super(new Syntax("template get", "Show a template: its recipe, what a build of it reaches, and what it was built into.").printing("json or yaml; YAML if absent."));
    }

    @Override
    int run(Console console) {
        Format format = askedFormat().isEmpty() ? Format.YAML : format(console);
        try (Client client = client(console)) {
            TemplateStatus found = client.templates().get(name.orEmpty());
            console.print(Document.of(found, format, console));
            return OK;
        }
    }
}
