package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.Credential;
import dev.sandglass.wire.CredentialBudget;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code credential create}: a secret that is kept for some requests. */
final class CredentialCreateVerb extends CredentialVerb {
    private final SecretOptions secret = new SecretOptions(syntax);
    private final Syntax.Value host = syntax.value("HOST", "The host whose requests get it: a name, or *.name for those below it.", "--host");
    private final Syntax.Value port = syntax.value("PORT", "443 if absent.", "--port");
    private final Syntax.Values paths = syntax.values("PATH", "Only requests to such a path, like '/v1/*'; may be repeated.", "--path");
    private final Syntax.Values methods = syntax.values("METHOD", "Only requests with this method, like GET; may be repeated.", "--method");
    private final Syntax.Value kind = syntax.value("KIND", "How it goes into a request: bearer, header, basic, query or placeholder; bearer if absent.", "--kind");
    private final Syntax.Value header = syntax.value("NAME", "Of the kind header: its name, like X-Api-Key.", "--header");
    private final Syntax.Value user = syntax.value("USER", "Of the kind basic: whose password it is.", "--user");
    private final Syntax.Value parameter = syntax.value("NAME", "Of the kind query: the parameter's name.", "--parameter");
    private final Syntax.Value placeholder = syntax.value("TEXT", "Of the kind placeholder: the text that stands for it in headers and bodies.", "--placeholder");
    private final Syntax.Flag plain = syntax.flag("It may go over HTTP that is not encrypted.", "--plain-http");
    private final Syntax.Value preset = syntax.value("PRESET", "A service of models, which tells kind and host: anthropic, openai or generic.", "--preset");
    private final Syntax.Value baseUrl = syntax.value("URL", "Where a model is served from, if not at its provider's own address.", "--base-url");
    private final Syntax.Value requests = syntax.value("N", "So many requests to a model each sandbox may make.", "--max-requests");
    private final Syntax.Value tokens = syntax.value("N", "So many tokens of a model each sandbox may use.", "--max-tokens");

    CredentialCreateVerb() {
        super(new Syntax("credential create", "Keep a secret, encrypted, for requests to one host. Nothing shows it again."));
    }

    @Override
    Credential credential(Console console, Client client) {
        Long number = Amount.count("port", port.orNull());
        return client.credentials().create(new CreateCredential(
                name.orEmpty(),
                secret.value(console),
                kind.orNull(),
                header.orNull(),
                user.orNull(),
                parameter.orNull(),
                placeholder.orNull(),
                host.orNull(),
                number == null ? null : Math.toIntExact(Math.min(number, Integer.MAX_VALUE)),
                orNull(paths.all()),
                orNull(methods.all()),
                plain.isSet() ? true : null,
                preset.orNull(),
                baseUrl.orNull(),
                budget()));
    }

    private @Nullable CredentialBudget budget() {
        Long most = Amount.count("max-requests", requests.orNull());
        Long words = Amount.count("max-tokens", tokens.orNull());
        return most == null && words == null ? null : new CredentialBudget(most, words);
    }

    private static @Nullable List<String> orNull(List<String> all) {
        return all.isEmpty() ? null : all;
    }
}
