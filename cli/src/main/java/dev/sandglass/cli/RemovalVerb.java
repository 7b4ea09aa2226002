package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import java.util.LinkedHashMap;
import java.util.Map;

/** A verb that removes what is named, one after the other. */
abstract class RemovalVerb extends Verb {
    private final Syntax.Values named;
    private final Syntax.Flag force;

    RemovalVerb(Syntax syntax, String what, String how) {
        this(syntax, 0, what, how);
    }

    /** @param first the index of the first name */
    RemovalVerb(Syntax syntax, int first, String what, String how) {
        super(syntax);
        this.named = syntax.operands(first, 1, what, how);
        this.force = syntax.flag("One that is not there is fine.", "-f", "--force");
    }

    abstract void remove(Client client, String name);

    @Override
    final int run(Console console) {
        Map<String, String> names = new LinkedHashMap<>();
        named.all().forEach(name -> names.put(name, name));
        try (Client client = client(console)) {
            return new Removals(this, console, format(console), force.isSet()).of(names, one -> remove(client, one.getKey()));
        }
    }
}
