package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.ApiKey;

/** {@code key create}: a key of the API, shown once. */
final class KeyCreateVerb extends Verb {
    private final Syntax.Value name = syntax.optionalOperand(0, "NAME", "What it is called; key-1 and so on if absent.");
    private final Syntax.Flag e2b = syntax.flag("Print the variables that E2B clients want, ready to paste.", "--e2b");

    KeyCreateVerb() {
        super(new Syntax("key create", "Make a key of the API, for other programs and machines. Its text is shown now and never again."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            String address = e2b.isSet() ? client.status().address() : "";
            ApiKey key = client.keys().create(name.orNull());
            if (e2b.isSet()) {
                console.print("export E2B_API_URL=" + address + "\nexport E2B_SANDBOX_URL=" + address + "\nexport E2B_API_KEY=" + key.key() + "\n");
            } else {
                console.print(format.structured() ? Document.of(key, format, console) : key.key() + "\n");
            }
            return OK;
        }
    }
}
