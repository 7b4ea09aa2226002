package dev.sandglass.cli;

import picocli.CommandLine.Command;

/** {@code version}: of this program. */
@Command(name = "sandglass version", sortOptions = false, description = "Show the version.")
final class VersionVerb extends Verb {
    @Override
    int run(Console console) {
        String version = Resource.text("version.txt").strip();
        boolean json = format(console) == Format.JSON && !output.isEmpty();
        console.print(json ? "{\"version\":\"" + version + "\"}\n" : "sandglass " + version + "\n");
        return OK;
    }
}
