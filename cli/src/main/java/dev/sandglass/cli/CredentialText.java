package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Credential;
import dev.sandglass.wire.CredentialUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /** What was used, and what may be. */
    static String usage(List<CredentialUsage> usage, boolean styled) {
        Table table = new Table("SANDBOX", "CREDENTIAL", "REQUESTS", "TOKENS");
        usage.forEach(one -> table.row(one.name(), one.credential(), used(one.requests(), one.maxRequests()), one.maxTokens() == null ? "" : used(one.tokens(), one.maxTokens())));
        return table.withoutEmpty("TOKENS").text(styled);
    }

    /** The same in words, after the name of the credential. */
    static String words(CredentialUsage one) {
        String requests = used(one.requests(), one.maxRequests()) + " requests";
        return one.credential() + "   " + requests + (one.maxTokens() == null ? "" : ", " + used(one.tokens(), one.maxTokens()) + " tokens");
    }

    private static String used(long used, @Nullable Long most) {
        return most == null ? Long.toString(used) : used + " of " + most;
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
