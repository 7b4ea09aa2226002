package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.MountedVolume;
import dev.sandglass.wire.Sandbox;
import java.util.stream.Collectors;

/** {@code volume attach} and {@code volume detach}: the volumes of a sandbox that is there. */
final class VolumeAttachVerb extends Verb {
    /** Changes a sandbox. */
    private interface Change {
        Sandbox of(Client client, String sandbox, String volume);
    }

    private final Change change;
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Value volume;

    private VolumeAttachVerb(Syntax syntax, String label, String what, Change change) {
        super(syntax);
        this.volume = syntax.operand(1, label, what);
        this.change = change;
    }

    static VolumeAttachVerb attach() {
        return new VolumeAttachVerb(
                new Syntax("volume attach", "Mount a volume in a sandbox, at once if it runs."),
                "VOLUME:PATH[:MODE]",
                "The volume and where it is mounted; MODE is ro, shared or rw, which is alone with it.",
                (client, sandbox, mount) -> client.volumes().attach(sandbox, VolumeOptions.mount(mount)));
    }

    static VolumeAttachVerb detach() {
        return new VolumeAttachVerb(
                new Syntax("volume detach", "Take a volume from a sandbox. While its processes use it that is refused."),
                "VOLUME",
                "Its whole name or id.",
                (client, sandbox, volume) -> client.volumes().detach(sandbox, volume));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            Sandbox now = change.of(client, sandbox.orEmpty(), volume.orEmpty());
            console.print(format.structured() ? Document.of(now, format, console) : Inert.text(now.name() + "   " + volumes(now)) + "\n");
            return OK;
        }
    }

    private static String volumes(Sandbox sandbox) {
        return sandbox.volumes().isEmpty() ? "no volumes" : sandbox.volumes().stream().map(VolumeAttachVerb::words).collect(Collectors.joining(", "));
    }

    /** One volume of a sandbox. */
    static String words(MountedVolume one) {
        return one.name() + ":" + one.path() + ":" + one.mode();
    }
}
