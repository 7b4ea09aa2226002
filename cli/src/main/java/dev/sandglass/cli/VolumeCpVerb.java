package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.RemoteFiles;
import org.jspecify.annotations.Nullable;

/** {@code volume cp}: files and directories into a volume and out of it. */
final class VolumeCpVerb extends CopyVerb {
    VolumeCpVerb() {
        super(
                new Syntax(
                        "volume cp",
                        "Copy a file or directory into a volume or out of it, by the rules of `sandglass cp`. What is in a",
                        "volume can be read whoever has it. To write to it, it must be free, shared, or in a sandbox that runs.",
                        ""),
                "volume");
    }

    @Override
    RemoteFiles files(Client client) {
        return client.volumes().files();
    }

    @Override
    @Nullable String user() {
        return null;
    }
}
