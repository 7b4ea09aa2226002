package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code volume rm}: volumes are gone, with all in them. */
final class VolumeRmVerb extends RemovalVerb {
    VolumeRmVerb() {
        super(new Syntax("volume rm", "Remove volumes with all in them. One that a sandbox has, running or not, is refused."), "VOLUME", "Its whole name or id.");
    }

    @Override
    void remove(Client client, String name) {
        client.volumes().delete(name);
    }
}
