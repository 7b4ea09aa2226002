package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.copy.Place;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A verb on files of a sandbox, which are named SANDBOX:PATH. */
abstract class FilesVerb extends Verb {
    static final String LABEL = "SANDBOX:PATH";
    static final String PLACE = "A path in a sandbox; relative to the user's home, or from /.";

    private final Syntax.Value user = syntax.value("USER", "Who does it in the sandbox; root if absent.", "-u", "--user");

    FilesVerb(Syntax syntax) {
        super(syntax);
    }

    /** A path inside a sandbox. */
    record Inside(String sandbox, String path) {}

    interface Work {
        void on(Inside place);
    }

    final @Nullable String user() {
        return user.orNull();
    }

    static Inside inside(String text) {
        Place place = Place.parse(text);
        String sandbox = place.sandbox();
        if (sandbox == null) {
            throw new UsageException(text + " (expected: SANDBOX:PATH)");
        }
        return new Inside(sandbox, place.path());
    }

    /** Does the work on each of them, also after a failure; the exit code is that of the first one. */
    int each(Console console, Format format, List<String> places, Work work) {
        int code = OK;
        for (Inside place : places.stream().map(FilesVerb::inside).toList()) {
            try {
                work.on(place);
            } catch (SandglassException problem) {
                Failure failure = failure(problem);
                console.warn(failure.text(format));
                code = code == OK ? failure.exitCode() : code;
            }
        }
        return code;
    }

    @Override
    final int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            return run(console, client, format);
        }
    }

    abstract int run(Console console, Client client, Format format);
}
