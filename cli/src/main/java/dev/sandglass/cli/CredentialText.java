package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Credential;
import java.util.List;

/** Credentials for people. */
final class CredentialText {
    private CredentialText() {}

    static String table(List<Credential> credentials, boolean styled) {
        Table table = new Table("NAME", "KIND", "FOR", "METHODS", "PATHS", "PLAIN HTTP", "PRESET", "AGE", "ROTATED");
        long now = System.currentTimeMillis() / 1000;
        for (Credential one : credentials) {
            table.row(
                    one.name(),
                    kind(one),
                    one.host() + ":" + one.port(),
                    String.join(",", one.methods()),
                    String.join(",", one.paths()),
                    one.plainHttp() ? "yes" : "",
                    one.preset() == null ? "" : one.preset(),
                    Age.shown(now - one.createdAt().getEpochSecond()),
                    one.rotatedAt().equals(one.createdAt()) ? "" : Age.shown(now - one.rotatedAt().getEpochSecond()));
        }
        return table.withoutEmpty("METHODS", "PATHS", "PLAIN HTTP", "PRESET", "ROTATED").text(styled);
    }

    /** One credential for people. */
    static String line(Credential one) {
        return Inert.text(one.name() + "   " + kind(one) + " for " + one.host() + ":" + one.port()) + "\n";
    }

    private static String kind(Credential one) {
        return switch (one.kind()) {
            case "header" -> "header " + one.header();
            case "basic" -> "basic " + one.user();
            case "query" -> "query " + one.parameter();
            case "placeholder" -> "placeholder " + one.placeholder();
            default -> one.kind();
        };
    }
}
