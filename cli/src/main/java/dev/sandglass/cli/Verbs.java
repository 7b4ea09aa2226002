package dev.sandglass.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which class serves which word; only that class is loaded. */
final class Verbs {
    /** The words that this program serves itself; the launcher serves the others that the help lists. */
    static final List<String> ALL = List.of("create", "run", "exec", "ls", "inspect", "cp", "rm", "status", "version", "demo");

    private Verbs() {}

    static @Nullable Verb of(String word) {
        return switch (word) {
            case "create" -> new CreateVerb();
            case "run" -> new RunVerb();
            case "exec" -> new ExecVerb();
            case "ls", "list" -> new LsVerb();
            case "inspect" -> new InspectVerb();
            case "cp" -> new CpVerb();
            case "rm", "delete", "destroy" -> new RmVerb();
            case "status" -> new StatusVerb();
            case "version", "--version", "-V" -> new VersionVerb();
            case "demo" -> new DemoVerb();
            default -> null;
        };
    }
}
