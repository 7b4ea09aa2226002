package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** {@code component get}: all of a component, its scripts included, or of a bundle. */
final class ComponentGetVerb extends Verb {
    private final Syntax.Value name = syntax.operand(0, "COMPONENT", "The name of the component or bundle.");

    ComponentGetVerb() {
        super(new Syntax("component get", "Show a component: its scripts, variables, memory and what it reaches; or what a bundle has.").printing("json or yaml; YAML if absent."));
    }

    @Override
    int run(Console console) {
        Format format = askedFormat().isEmpty() ? Format.YAML : format(console);
        try (Client client = client(console)) {
            console.print(Document.of(found(client), format, console));
            return OK;
        }
    }

    private Object found(Client client) {
        try {
            return client.builds().component(name.orEmpty());
        } catch (SandglassException unknown) {
            if (unknown.code() != ErrorCode.COMPONENT_NOT_FOUND) {
                throw unknown;
            }
            return client.builds().components().bundles().stream().filter(bundle -> bundle.name().equals(name.orEmpty())).findFirst().orElseThrow(() -> unknown);
        }
    }
}
