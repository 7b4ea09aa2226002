package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.RemoteFiles;
import dev.sandglass.cli.copy.Copied;
import dev.sandglass.cli.copy.Download;
import dev.sandglass.cli.copy.Place;
import dev.sandglass.cli.copy.Upload;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.ProgressBar;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Unpacked;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A verb that copies between this machine and something with files. */
abstract class CopyVerb extends Verb {
    private static final int SHOWN = 5;
    private static final int INCOMPLETE = 1;
    private static final Place STREAM = new Place(null, "-");

    private final String noun;
    private final Syntax.Value source;
    private final Syntax.Value destination;

    /** @param noun what has files: "sandbox" */
    CopyVerb(Syntax syntax, String noun) {
        super(syntax);
        this.noun = noun;
        String there = noun.toUpperCase(Locale.ROOT) + ":PATH";
        this.source = syntax.operand(0, "SOURCE", "A path here, " + there + ", or - for standard input.");
        this.destination = syntax.operand(1, "DESTINATION", "A path here, " + there + ", or - for standard output.");
    }

    abstract RemoteFiles files(Client client);

    /** Who reads or writes there. */
    abstract @Nullable String user();

    @Override
    final int run(Console console) {
        Format format = format(console);
        Place from = Place.parse(source.orEmpty());
        Place to = Place.parse(destination.orEmpty());
        if ((from.sandbox() == null) == (to.sandbox() == null)) {
            throw new UsageException((from.sandbox() == null ? "One of the two must" : "Only one of the two can") + " be in a " + noun + " (expected: " + noun.toUpperCase(Locale.ROOT) + ":PATH)");
        }
        try (Client client = client(console)) {
            Copied copied = copy(console, client, from, to);
            warn(console, "left out", copied.leftOut());
            warn(console, "copied without set-id bits", copied.withoutSetId());
            if (format.structured() && !to.equals(STREAM)) {
                console.print(Document.of(new Unpacked(copied.entries(), copied.bytes()), format, console));
            }
            return copied.leftOut().isEmpty() ? OK : INCOMPLETE;
        }
    }

    private Copied copy(Console console, Client client, Place from, Place to) {
        LongFunction<ProgressBar> progress =
                total -> new ProgressBar(console.err(), console.terminal(Console.ERR), from.path(), total);
        Upload upload = new Upload(files(client), user(), progress);
        Download download = new Download(files(client), user(), progress);
        try {
            if (from.sandbox() == null) {
                String sandbox = String.valueOf(to.sandbox());
                return from.equals(STREAM) ? upload.stream(console.in(), sandbox, to) : upload.copy(from, sandbox, to);
            }
            return to.equals(STREAM) ? download.stream(from.sandbox(), from, console.out()) : download.copy(from.sandbox(), from, to);
        } catch (AccessDeniedException denied) {
            throw new SandglassException(
                    ErrorCode.PERMISSION_DENIED, "Permission denied: " + denied.getFile(), "Check who owns it.", denied);
        } catch (IOException problem) {
            throw new SandglassException(
                    ErrorCode.FILE_REFUSED, "The copy failed: " + problem.getMessage(), "What was copied before is kept.", problem);
        }
    }

    private static void warn(Console console, String what, List<String> entries) {
        for (String entry : entries.subList(0, Math.min(SHOWN, entries.size()))) {
            console.warn("warning: " + what + ": " + Inert.text(entry) + "\n");
        }
        if (entries.size() > SHOWN) {
            console.warn("warning: " + what + ": " + (entries.size() - SHOWN) + " more\n");
        }
    }
}
