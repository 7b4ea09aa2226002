package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Removes things one after the other, and tells of each.
 *
 * @param force whether one that is not there is fine
 */
record Removals(Verb verb, Console console, Format format, boolean force) {
    /**
     * Goes on after a failure; the exit code is that of the first one.
     *
     * @param names of those to remove by what the daemon finds them by, which for a list is the id: names may change meanwhile
     */
    int of(Map<String, String> names, Consumer<Map.Entry<String, String>> removal) {
        int code = Verb.OK;
        List<String> removed = new ArrayList<>();
        for (Map.Entry<String, String> one : names.entrySet()) {
            try {
                removal.accept(one);
                removed.add(one.getKey());
                if (!format.structured()) {
                    console.print(Inert.text(one.getValue()) + "\n");
                }
            } catch (SandglassException problem) {
                Failure failure = verb.failure(problem);
                if (!(force && failure.exitCode() == 3)) {
                    console.warn(failure.text(format));
                    code = code == Verb.OK ? failure.exitCode() : code;
                }
            }
        }
        if (format.structured()) {
            console.print(Document.ofNames("removed", removed, format, console));
        }
        return code;
    }
}
