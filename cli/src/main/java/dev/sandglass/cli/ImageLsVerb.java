package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ImageInfo;
import java.util.List;

/** {@code image ls}: the images that came from registries and archives. */
final class ImageLsVerb extends Verb {
    private final Syntax.Flag quiet = syntax.flag("Print the ids and nothing else.", "-q", "--quiet");

    ImageLsVerb() {
        super(new Syntax("image ls", "List the images that came from registries and archives, oldest first."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<ImageInfo> images = client.images().list();
            if (quiet.isSet()) {
                images.forEach(image -> console.print(Inert.text(image.id()) + "\n"));
            } else {
                console.print(format.structured() ? Document.ofList(images, format, console) : ImageText.table(images, console.styled()));
            }
            return OK;
        }
    }
}
