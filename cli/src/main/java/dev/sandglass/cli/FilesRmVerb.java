package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;

/** {@code files rm}: files and directories are gone. */
final class FilesRmVerb extends FilesVerb {
    private final Syntax.Values places = syntax.operands(0, 1, LABEL, PLACE);
    private final Syntax.Flag recursive = syntax.flag("Also directories, with all that is in them.", "-r", "-R", "--recursive");
    private final Syntax.Flag force = syntax.flag("What is not there is fine.", "-f", "--force");

    FilesRmVerb() {
        super(new Syntax("files rm", "Remove files of a sandbox."));
    }

    @Override
    int run(Console console, Client client, Format format) {
        List<String> removed = new ArrayList<>();
        int code = each(console, format, places.all(), place -> {
            try {
                client.files().remove(place.sandbox(), place.path(), user(), recursive.isSet());
                removed.add(place.sandbox() + ":" + place.path());
            } catch (SandglassException problem) {
                if (!force.isSet() || problem.code() != ErrorCode.PATH_NOT_FOUND) {
                    throw problem;
                }
            }
        });
        if (format.structured()) {
            console.print(Document.ofNames("removed", removed, format, console));
        }
        return code;
    }
}
