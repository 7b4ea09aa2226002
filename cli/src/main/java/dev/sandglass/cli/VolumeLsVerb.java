package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Volume;
import java.util.List;

/** {@code volume ls}: the volumes of the daemon. */
final class VolumeLsVerb extends Verb {
    private final Syntax.Flag quiet = syntax.flag("Print the ids and nothing else.", "-q", "--quiet");

    VolumeLsVerb() {
        super(new Syntax("volume ls", "List the volumes, oldest first, and the sandboxes that have them."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<Volume> volumes = client.volumes().list();
            if (quiet.isSet()) {
                volumes.forEach(one -> console.print(Inert.text(one.id()) + "\n"));
            } else {
                console.print(format.structured() ? Document.ofList(volumes, format, console) : VolumeText.table(volumes, console.styled()));
            }
            return OK;
        }
    }
}
