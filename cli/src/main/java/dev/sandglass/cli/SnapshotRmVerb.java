package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;

/** {@code snapshot rm}: snapshots are gone; what grew from them stays. */
final class SnapshotRmVerb extends Verb {
    private final Syntax.Values named = syntax.operands(0, 1, "SNAPSHOT", "Name, id, or the beginning of an id.");
    private final Syntax.Flag force = syntax.flag("One that is not there is fine.", "-f", "--force");

    SnapshotRmVerb() {
        super(new Syntax("snapshot rm", "Remove snapshots. Sandboxes and snapshots that grew from them stay whole."));
    }

    /** Goes on after a failure; the exit code is that of the first one. */
    @Override
    int run(Console console) {
        Format format = format(console);
        int code = OK;
        List<String> removed = new ArrayList<>();
        try (Client client = client(console)) {
            for (String name : named.all()) {
                try {
                    client.deleteSnapshot(name);
                    removed.add(name);
                    if (!format.structured()) {
                        console.print(Inert.text(name) + "\n");
                    }
                } catch (SandglassException problem) {
                    Failure failure = failure(problem);
                    if (!(force.isSet() && failure.exitCode() == 3)) {
                        console.warn(failure.text(format));
                        code = code == OK ? failure.exitCode() : code;
                    }
                }
            }
        }
        if (format.structured()) {
            console.print(Document.ofNames("removed", removed, format, console));
        }
        return code;
    }
}
