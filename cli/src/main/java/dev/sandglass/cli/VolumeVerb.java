package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Volume;

/** A verb that makes a volume, and shows it then. */
abstract class VolumeVerb extends Verb {
    private final Syntax.Flag quiet = syntax.flag("Print the id and nothing else.", "-q", "--quiet");

    VolumeVerb(Syntax syntax) {
        super(syntax);
    }

    @Override
    final int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            Volume volume = volume(client);
            console.print(
                    quiet.isSet() ? volume.id() + "\n" : format.structured() ? Document.of(volume, format, console) : VolumeText.line(volume));
            return OK;
        }
    }

    abstract Volume volume(Client client);
}
