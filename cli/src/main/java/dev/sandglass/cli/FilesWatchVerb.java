package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Lines;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.WatchEvent;

/** {@code files watch}: what happens to files, as it happens. */
final class FilesWatchVerb extends FilesVerb {
    private final Syntax.Value place = syntax.operand(0, LABEL, PLACE);
    private final Syntax.Flag flat = syntax.flag("Only the directory itself, not those below.", "--no-recursive");

    FilesWatchVerb() {
        super(new Syntax("files watch", "Tell what happens to the files of a directory, until Ctrl-C. In a pipe lines of JSON."));
    }

    @Override
    int run(Console console, Client client, Format format) {
        Inside inside = inside(place.orEmpty());
        try (Client patient = client.patient()) {
            Lines<WatchEvent> events = patient.files().watch(inside.sandbox(), inside.path(), user(), !flat.isSet());
            for (WatchEvent event = events.next(); event != null; event = events.next()) {
                if (format.structured()) {
                    console.print(Document.next(Json.write(event), format));
                } else if (event.event().equals("ready")) {
                    console.warn("Watching " + Inert.text(place.orEmpty()) + " ...\n");
                } else {
                    String path = event.path() == null ? "" : event.path();
                    console.print(String.format("%-12s", event.event()) + Inert.text(path)
                            + (Boolean.TRUE.equals(event.directory()) ? "/" : "") + "\n");
                }
            }
            return OK;
        }
    }
}
