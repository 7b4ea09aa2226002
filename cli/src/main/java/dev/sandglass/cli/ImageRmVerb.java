package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code image rm}: images are gone, with the layers that no other has. */
final class ImageRmVerb extends RemovalVerb {
    ImageRmVerb() {
        super(
                new Syntax("image rm", "Remove images, with their layers that no other image has. One with several names loses the one that is given.", "An image on which a sandbox or a snapshot stands stays."),
                "IMAGE",
                "Name, id, or the beginning of an id.");
    }

    @Override
    void remove(Client client, String name) {
        client.images().delete(name);
    }
}
