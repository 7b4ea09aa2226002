package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Service;
import java.util.List;

/** {@code service ls}: the services of a sandbox. */
final class ServiceLsVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Flag quiet = syntax.flag("Print the names and nothing else.", "-q", "--quiet");
    private final Watching watching = new Watching(syntax);

    ServiceLsVerb() {
        super(new Syntax("service ls", "List the services of a sandbox, those of its unit files too."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            return watching.show(console, () -> text(console, client, format));
        }
    }

    private String text(Console console, Client client, Format format) {
        List<Service> services = client.services().list(sandbox.orEmpty()).services();
        if (quiet.isSet()) {
            StringBuilder names = new StringBuilder();
            services.forEach(one -> names.append(Inert.text(one.name())).append('\n'));
            return names.toString();
        }
        return format.structured() ? Document.ofList(services, format, console) : console.fitting(ServiceText.table(services, console.styled()));
    }
}
