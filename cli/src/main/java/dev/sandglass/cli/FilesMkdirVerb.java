package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Entry;
import java.util.ArrayList;
import java.util.List;

/** {@code files mkdir}: new directories. */
final class FilesMkdirVerb extends FilesVerb {
    private final Syntax.Values places = syntax.operands(0, 1, LABEL, PLACE);
    private final Syntax.Value mode = syntax.value("MODE", "Permission bits in octal; 0755 if absent.", "-m", "--mode");

    FilesMkdirVerb() {
        super(new Syntax("files mkdir", "Make directories in a sandbox, with their parents; one that is there is fine."));
    }

    @Override
    int run(Console console, Client client, Format format) {
        List<Entry> made = new ArrayList<>();
        int code = each(console, format, places.all(),
                place -> made.add(client.files().makeDirectory(place.sandbox(), place.path(), user(), mode.orNull())));
        if (format.structured()) {
            console.print(Document.ofList(made, format, console));
        }
        return code;
    }
}
