package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Component;

/** {@code component get}: all of a component, its scripts included. */
final class ComponentGetVerb extends Verb {
    private final Syntax.Value name = syntax.operand(0, "COMPONENT", "The name of the component.");

    ComponentGetVerb() {
        super(new Syntax("component get", "Show a component: its scripts, variables, memory and what it reaches.").printing("json or yaml; YAML if absent."));
    }

    @Override
    int run(Console console) {
        Format format = askedFormat().isEmpty() ? Format.YAML : format(console);
        try (Client client = client(console)) {
            Component found = client.builds().component(name.orEmpty());
            console.print(Document.of(found, format, console));
            return OK;
        }
    }
}
