package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CreateVolume;
import dev.sandglass.wire.Volume;
import java.util.Map;

/** {@code volume create}: a directory that outlives sandboxes. */
final class VolumeCreateVerb extends VolumeVerb {
    private final Syntax.Value name = syntax.optionalOperand(0, "NAME", "A name of your choice; one is chosen if absent.");
    private final Syntax.Value size = syntax.value("MB", "How much may be written to it: megabytes, or 512M, 20G; 10G if absent.", "--size");
    private final Syntax.Values labels = syntax.values("NAME=VALUE", "A label; may be repeated.", "--label");

    VolumeCreateVerb() {
        super(new Syntax("volume create", "Make a volume: a directory that outlives sandboxes. `create -v VOLUME:PATH` mounts it."));
    }

    @Override
    Volume volume(Client client) {
        return client.volumes().create(new CreateVolume(name.orNull(), Amount.megabytes("size", size.orNull()), Pairs.parse("label", labels.all(), Map.of())));
    }
}
