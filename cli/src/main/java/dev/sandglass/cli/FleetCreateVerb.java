package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.FleetResult;
import java.util.List;

/** {@code fleet create}: the machines of a file, all that are missing of them. */
final class FleetCreateVerb extends FleetVerb {
    private final Syntax.Value file = syntax.value("FILE", "The YAML file with the machines; - is standard input.", "-f", "--file");
    private final Syntax.Flag replace = syntax.flag("Make those anew that are made of something else than the file says.", "--replace");
    private final Syntax.Flag prune = syntax.flag("Remove those that are not in the file.", "--prune");

    FleetCreateVerb() {
        super(new Syntax(
                "fleet create",
                "Bring a fleet to what its file says: make what is missing, finish what was cut off, change limits,",
                "labels and policies in place, start what was stopped. What is there goes on.",
                ""));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        if (file.orNull() == null) {
            throw new UsageException("the file of the fleet is missing (expected: --file)");
        }
        int atOnce = atOnce();
        FleetFile fleet = FleetFile.read(RecipeFile.read(file.orEmpty(), console.in()), console.environment());
        try (Client client = client(console)) {
            List<FleetResult> results = new FleetWork(console, client, fleet, atOnce, replace.isSet(), prune.isSet()).run();
            int code = tell(console, format, results);
            if (!format.structured()) {
                console.warn(hint(results, "changed", "--replace makes them anew") + hint(results, "extra", "--prune removes them"));
            }
            return code;
        }
    }

    private static String hint(List<FleetResult> results, String outcome, String what) {
        long count = results.stream().filter(one -> one.outcome().equals(outcome)).count();
        return count == 0 ? "" : "hint: " + count + " " + outcome + ": " + what + ".\n";
    }
}
