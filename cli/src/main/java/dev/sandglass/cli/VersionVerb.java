package dev.sandglass.cli;


/** {@code version}: of this program. */
final class VersionVerb extends Verb {
    VersionVerb() {
        super(new Syntax("version", "Show the version.").printing("table, json or yaml; if absent table."));
    }

    @Override
    boolean outputIsData() {
        return true;
    }

    @Override
    int run(Console console) {
        String version = Resource.text("version.txt").strip();
        Format format = format(console);
        String json = "{\"version\":\"" + version + "\"}";
        console.print(format.structured() ? Document.text(json, format, console) : "sandglass " + version + "\n");
        return OK;
    }
}
