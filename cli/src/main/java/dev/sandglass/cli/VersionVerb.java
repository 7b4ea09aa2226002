package dev.sandglass.cli;


/** {@code version}: of this program. */
final class VersionVerb extends Verb {
    VersionVerb() {
        super(new Syntax("version", "Show the version."));
    }

    @Override
    int run(Console console) {
        String version = Resource.text("version.txt").strip();
        boolean json = format(console) == Format.JSON && !askedFormat().isEmpty();
        console.print(json ? "{\"version\":\"" + version + "\"}\n" : "sandglass " + version + "\n");
        return OK;
    }
}
