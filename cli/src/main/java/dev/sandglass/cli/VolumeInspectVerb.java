package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Volume;
import java.util.ArrayList;
import java.util.List;

/** {@code volume inspect}: all there is to know about volumes. */
final class VolumeInspectVerb extends Verb {
    private final Syntax.Values named = syntax.operands(0, 1, "VOLUME", "Name, id, or the beginning of one.");

    VolumeInspectVerb() {
        super(new Syntax("volume inspect", "Show all there is to know about volumes."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<Volume> found = new ArrayList<>();
            named.all().forEach(name -> found.add(client.volumes().get(name)));
            Format shown = format.structured() ? format : Format.YAML;
            console.print(found.size() == 1 ? Document.of(found.getFirst(), shown, console) : Document.ofList(found, shown, console));
            return OK;
        }
    }
}
