package dev.sandglass.cli;

import java.util.List;

/** A word that stands before other verbs, such as {@code files}: it has nothing of its own but help. */
final class GroupVerb extends Verb {
    private final String name;
    private final List<String> verbs;

    GroupVerb(String name, String... description) {
        super(new Syntax(name, description));
        this.name = name;
        this.verbs = Verbs.of(name, Verbs.ALL);
        syntax.synopsis(String.join("|", verbs) + " ...");
    }

    @Override
    int run(Console console) {
        throw new UsageException(name + ": what to do is missing (expected: " + String.join(", ", verbs) + ")");
    }
}
