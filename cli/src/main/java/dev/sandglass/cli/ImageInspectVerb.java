package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.ImageInfo;
import java.util.ArrayList;
import java.util.List;

/** {@code image inspect}: all there is to know about images. */
final class ImageInspectVerb extends Verb {
    private final Syntax.Values named = syntax.operands(0, 1, "IMAGE", "Name, id, or the beginning of an id.");

    ImageInspectVerb() {
        super(new Syntax("image inspect", "Show all there is to know about images."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<ImageInfo> found = new ArrayList<>();
            named.all().forEach(name -> found.add(client.images().get(name)));
            Format shown = format.structured() ? format : Format.YAML;
            console.print(found.size() == 1 ? Document.of(found.getFirst(), shown, console) : Document.ofList(found, shown, console));
            return OK;
        }
    }
}
