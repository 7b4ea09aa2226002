package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.copy.Place;
import dev.sandglass.wire.Entry;

/** {@code files mv}: a file or directory gets another name. */
final class FilesMvVerb extends FilesVerb {
    private final Syntax.Value from = syntax.operand(0, LABEL, PLACE);
    private final Syntax.Value to = syntax.operand(1, "PATH", "Its new path in the same sandbox.");

    FilesMvVerb() {
        super(new Syntax("files mv", "Move a file or directory within a sandbox; what has the new name already is replaced."));
    }

    @Override
    int run(Console console, Client client, Format format) {
        Inside source = inside(from.orEmpty());
        Place target = Place.parse(to.orEmpty());
        if (target.sandbox() != null && !target.sandbox().equals(source.sandbox())) {
            throw new UsageException(to.orEmpty() + " (expected: a path in " + source.sandbox() + "; `sandglass cp` copies between places)");
        }
        Entry moved = client.files().move(source.sandbox(), source.path(), target.path(), user());
        if (format.structured()) {
            console.print(Document.of(moved, format, console));
        }
        return OK;
    }
}
