package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CreateRoute;
import dev.sandglass.wire.Route;
import dev.sandglass.wire.RouteCors;
import dev.sandglass.wire.RouteRate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code route create}: an entry from outside to a port of a sandbox. */
final class RouteCreateVerb extends RouteVerb {
    private static final String HEADER = "header:";
    private static final long LONGEST_TIMEOUT = 3600;

    private final Syntax.Value port = syntax.value("PORT", "The port inside, on the sandbox's loopback.", "-p", "--port");
    private final Syntax.Flag open = syntax.flag("Let everybody in; else who has the secret, or a link.", "--public");
    private final Syntax.Value auth = syntax.value("HOW", "How a request shows the secret: bearer, or header:NAME; bearer if absent.", "--auth");
    private final SecretOptions secret = new SecretOptions(syntax, "secret", "--secret-stdin", "--secret-env", "--secret-file");
    private final Syntax.Values methods = syntax.values("METHOD", "Only requests with this method, like GET; may be repeated.", "--method");
    private final Syntax.Value prefix = syntax.value("PATH", "Only paths below this one, like /api.", "--path-prefix");
    private final Syntax.Value rewrite = syntax.value("PATH", "What the sandbox sees in the place of that prefix, like /.", "--rewrite");
    private final Syntax.Values origins = syntax.values("ORIGIN", "Pages of this origin may use it, like https://app.example.org, or * alone; may be repeated.", "--cors-origin");
    private final Syntax.Values corsMethods = syntax.values("METHOD", "Those that such pages may use; the route's if absent; may be repeated.", "--cors-method");
    private final Syntax.Values corsHeaders = syntax.values("NAME", "A header that such pages may send; may be repeated.", "--cors-header");
    private final Syntax.Flag corsCredentials = syntax.flag("Such pages may send cookies and the like.", "--cors-credentials");
    private final Syntax.Value rate = syntax.value("N", "At most so many requests in a second.", "--rate");
    private final Syntax.Value burst = syntax.value("N", "So many of them at once; as many as --rate if absent.", "--burst");
    private final Syntax.Value timeout = syntax.value("TIME", "So long the first byte of an answer may take; 60s if absent.", "--timeout");
    private final Syntax.Flag resume = syntax.flag("A request wakes the sandbox when it is paused, if it has --auto-resume.", "--resume");
    private final Syntax.Flag noWebSocket = syntax.flag("No connection may become a WebSocket.", "--no-websocket");
    private final Syntax.Flag noForwarded = syntax.flag("Do not tell the program who asks: no Forwarded and X-Forwarded-... headers.", "--no-forwarded");

    RouteCreateVerb() {
        super(new Syntax("route create", "Let HTTP requests in to a port of a sandbox. A secret that is not given is drawn, and shown this once."));
    }

    @Override
    Route route(Console console, Client client) {
        if (port.orNull() == null) {
            throw new UsageException("Which port? (expected: --port)");
        }
        return client.routes().create(sandbox.orEmpty(), new CreateRoute(
                name.orEmpty(),
                whole("port", port.orEmpty()),
                open.isSet() ? "public" : null,
                how(),
                header(),
                secret.given(console).orElse(null),
                orNull(methods.all()),
                prefix.orNull(),
                rewrite.orNull(),
                cors(),
                limit(),
                timeout.orNull() == null ? null : bounded(Amount.seconds("--timeout", timeout.orEmpty(), LONGEST_TIMEOUT, "1h")),
                resume.isSet() ? true : null,
                noWebSocket.isSet() ? false : null,
                noForwarded.isSet() ? false : null));
    }

    private @Nullable String how() {
        return header() == null ? auth.orNull() : "header";
    }

    private @Nullable String header() {
        return auth.orEmpty().startsWith(HEADER) ? auth.orEmpty().substring(HEADER.length()) : null;
    }

    private @Nullable RouteCors cors() {
        boolean more = !corsMethods.all().isEmpty() || !corsHeaders.all().isEmpty() || corsCredentials.isSet();
        if (origins.all().isEmpty() && more) {
            throw new UsageException("Pages of which origin? (expected: --cors-origin)");
        }
        return origins.all().isEmpty() ? null : new RouteCors(origins.all(), orNull(corsMethods.all()), orNull(corsHeaders.all()), corsCredentials.isSet() ? true : null);
    }

    private @Nullable RouteRate limit() {
        if (rate.orNull() == null && burst.orNull() != null) {
            throw new UsageException("burst: " + burst.orEmpty() + " (expected: --rate beside it)");
        }
        return rate.orNull() == null ? null : new RouteRate(whole("rate", rate.orEmpty()), burst.orNull() == null ? null : whole("burst", burst.orEmpty()));
    }

    private static int whole(String option, String text) {
        return bounded(Amount.count(option, text));
    }

    /** What is too much for a number is too much for the daemon, who says so. */
    private static int bounded(@Nullable Long number) {
        return number == null ? 0 : (int) Math.min(number, Integer.MAX_VALUE);
    }

    private static @Nullable List<String> orNull(List<String> all) {
        return all.isEmpty() ? null : all;
    }
}
