package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code __complete}: what the scripts of {@link CompletionVerb} ask with each press of the tabulator. Never fails. */
final class CompleteVerb extends Verb {
    private final Syntax.Values words = syntax.operands(0, 0, "WORD", "");

    CompleteVerb() {
        super(new Syntax("__complete", "Print what the last word may become."));
    }

    @Override
    int run(Console console) {
        try (Client client = client(console).hasty()) {
            console.print(new Completion(client, words.all()).text());
        }
        return OK;
    }
}
