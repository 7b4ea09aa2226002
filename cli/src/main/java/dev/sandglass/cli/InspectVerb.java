package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CredentialUsage;
import dev.sandglass.wire.Sandbox;
import java.util.ArrayList;
import java.util.List;

/** {@code inspect}: all there is to know about sandboxes. */
final class InspectVerb extends Verb {
    private final Syntax.Values sandboxes = syntax.operands(0, 1, "SANDBOX", "Name, id, or the beginning of one.");

    private final Watching watching = new Watching(syntax);

    InspectVerb() {
        super(new Syntax("inspect", "Show all there is to know about sandboxes."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            return watching.show(console, () -> text(console, client, format));
        }
    }

    private String text(Console console, Client client, Format format) {
        List<Sandbox> found = new ArrayList<>();
        for (String sandbox : sandboxes.all()) {
            found.add(client.inspect(sandbox));
        }
        if (format.structured()) {
            return found.size() == 1 ? Document.of(found.get(0), format, console) : Document.ofList(found, format, console);
        }
        StringBuilder text = new StringBuilder();
        for (Sandbox sandbox : found) {
            List<CredentialUsage> usage = sandbox.credentials().isEmpty() ? List.of() : client.credentials().usage(sandbox.id());
            text.append(text.isEmpty() ? "" : "\n").append(SandboxText.of(sandbox, usage));
        }
        return text.toString();
    }
}
