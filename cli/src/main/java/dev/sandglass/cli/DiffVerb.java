package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Diff;

/** {@code diff}: what differs between two states. */
final class DiffVerb extends Verb {
    private final Syntax.Value from = syntax.operand(0, "STATE", "A snapshot or a sandbox: name, id, or the beginning of an id.");
    private final Syntax.Value to = syntax.optionalOperand(1, "STATE", "Another; if absent the first is compared with what it grew from.");
    private final Syntax.Flag text = syntax.flag("Show differences of text files line by line.", "--text");
    private final Syntax.Value limit = syntax.value("N", "Show so many files at most; if absent 10000.", "--limit");

    DiffVerb() {
        super(new Syntax(
                "diff",
                "Show what differs between two snapshots, or between a snapshot and a sandbox as it is now: files, packages and processes. A sandbox alone is compared with"
                        + " the snapshot that it last was, or with its image."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            boolean alone = to.orNull() == null;
            Diff diff = client.diff(
                    alone ? null : from.orNull(), alone ? from.orEmpty() : to.orEmpty(), text.isSet(), Amount.count("limit", limit.orNull()));
            console.print(format.structured() ? Document.of(diff, format, console) : new DiffText(console.styled()).of(diff));
            return OK;
        }
    }
}
