package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code template rm}: templates are gone, with what they were built into. */
final class TemplateRmVerb extends RemovalVerb {
    TemplateRmVerb() {
        super(new Syntax("template rm", "Remove templates and what they were built into. Sandboxes go on; of a built-in template only what was built goes."), "TEMPLATE", "The name of the template.");
    }

    @Override
    void remove(Client client, String name) {
        client.templates().delete(name);
    }
}
