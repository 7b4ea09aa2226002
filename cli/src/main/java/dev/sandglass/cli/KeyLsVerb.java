package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.ApiKey;
import java.util.List;

/** {@code key ls}: the keys of the API, without their texts. */
final class KeyLsVerb extends Verb {
    private final Syntax.Flag quiet = syntax.flag("Print the names and nothing else.", "-q", "--quiet");

    KeyLsVerb() {
        super(new Syntax("key ls", "List the keys of the API, without their texts."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<ApiKey> keys = client.keys().list();
            if (quiet.isSet()) {
                keys.forEach(key -> console.print(Inert.text(key.name()) + "\n"));
            } else {
                console.print(format.structured() ? Document.ofList(keys, format, console) : table(keys, console.styled()));
            }
            return OK;
        }
    }

    private static String table(List<ApiKey> keys, boolean styled) {
        Table table = new Table("NAME", "ENDS WITH", "AGE");
        long now = System.currentTimeMillis() / 1000;
        keys.forEach(key -> table.row(key.name(), key.hint(), Age.shown(now - key.createdAt().getEpochSecond())));
        return table.text(styled);
    }
}
