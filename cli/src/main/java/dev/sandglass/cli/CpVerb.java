package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.RemoteFiles;
import org.jspecify.annotations.Nullable;

/** {@code cp}: files and directories in and out. */
final class CpVerb extends CopyVerb {
    private final Syntax.Value user =
            syntax.value("USER", "Who reads or writes in the sandbox; root if absent.", "-u", "--user");

    CpVerb() {
        super(
                new Syntax(
                        "cp",
                        "Copy a file or directory into a sandbox or out of it. A directory that is there gets the source",
                        "inside; with /. at its end, the content of the source. On a terminal it is shown how far it is: in",
                        "percent where the size is known, for a directory that comes out in files and bytes. Devices and",
                        "FIFOs, and links that would lead out of a directory that is copied out, are left out with a warning;",
                        "the exit code is 1 then. Owners are not copied, and neither are set-id bits, with a warning.",
                        ""),
                "sandbox");
    }

    @Override
    RemoteFiles files(Client client) {
        return client.files();
    }

    @Override
    @Nullable String user() {
        return user.orNull();
    }
}
