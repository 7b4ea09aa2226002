package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Volumes;
import dev.sandglass.wire.CopyVolume;
import dev.sandglass.wire.Volume;
import java.util.Map;

/** {@code volume snapshot} and {@code volume fork}: copies of a volume, which goes on. */
final class VolumeCopyVerb extends VolumeVerb {
    /** Makes a copy. */
    private interface Copying {
        Volume of(Volumes volumes, String volume, CopyVolume request);
    }

    private final Copying copying;
    private final Syntax.Value volume = syntax.operand(0, "VOLUME", "Name, id, or the beginning of one.");
    private final Syntax.Value name = syntax.optionalOperand(1, "NAME", "The name of the copy; one that follows from the volume's if absent.");
    private final Syntax.Values labels = syntax.values("NAME=VALUE", "A label; may be repeated.", "--label");

    private VolumeCopyVerb(Syntax syntax, Copying copying) {
        super(syntax);
        this.copying = copying;
    }

    static VolumeCopyVerb snapshot() {
        return new VolumeCopyVerb(new Syntax("volume snapshot", "Keep what a volume is now, as a volume that never changes and is mounted read-only."), Volumes::snapshot);
    }

    static VolumeCopyVerb fork() {
        return new VolumeCopyVerb(new Syntax("volume fork", "Make a volume that begins with what another one, or a snapshot of one, has now."), Volumes::fork);
    }

    @Override
    Volume volume(Client client) {
        return copying.of(client.volumes(), volume.orEmpty(), new CopyVolume(name.orNull(), Pairs.parse("label", labels.all(), Map.of())));
    }
}
