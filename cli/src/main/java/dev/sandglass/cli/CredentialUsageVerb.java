package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CredentialUsage;
import java.util.List;

/** {@code credential usage}: what sandboxes have used of budgets. */
final class CredentialUsageVerb extends Verb {
    private final Syntax.Value sandbox = syntax.optionalOperand(0, "SANDBOX", "Name, id, or the beginning of one; all if absent.");

    CredentialUsageVerb() {
        super(new Syntax("credential usage", "Show what sandboxes have used by credentials that have a budget."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<CredentialUsage> usage = client.credentials().usage(sandbox.orNull());
            console.print(format.structured() ? Document.ofList(usage, format, console) : CredentialText.usage(usage, console.styled()));
            return OK;
        }
    }
}
