package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Route;
import dev.sandglass.wire.RouteCors;
import dev.sandglass.wire.RouteRate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Routes for people. */
final class RouteText {
    private RouteText() {}

    static String table(List<Route> routes, boolean styled) {
        Table table = new Table("SANDBOX", "NAME", "PORT", "ACCESS", "METHODS", "PATH", "RATE", "RESUME", "URL");
        for (Route one : routes) {
            table.row(
                    one.sandbox(),
                    one.name(),
                    Integer.toString(one.port()),
                    access(one),
                    String.join(",", one.methods()),
                    path(one),
                    rate(one),
                    one.resume() ? "yes" : "",
                    one.url());
        }
        return table.withoutEmpty("METHODS", "PATH", "RATE", "RESUME").text(styled);
    }

    /** One route for people, a line for each thing that was said of it. */
    static String page(Route one) {
        StringBuilder page = new StringBuilder();
        line(page, "route", one.name() + " of " + one.sandbox());
        line(page, "port", Integer.toString(one.port()));
        line(page, "access", access(one));
        line(page, "methods", String.join(",", one.methods()));
        line(page, "path", path(one));
        line(page, "cors", cors(one.cors()));
        line(page, "rate", rate(one));
        line(page, "timeout", one.timeout() + " s");
        line(page, "resume", one.resume() ? "yes" : "");
        line(page, "websocket", one.websocket() ? "" : "no");
        line(page, "forwarded", one.forwarded() ? "" : "no");
        line(page, "url", one.url());
        line(page, "host url", one.hostUrl());
        line(page, "secret", one.secret() == null ? "" : one.secret() + "   (it is not shown again)");
        return page.toString();
    }

    private static void line(StringBuilder page, String name, String value) {
        if (!value.isEmpty()) {
            page.append(String.format("%-12s", name)).append(Inert.text(value)).append('\n');
        }
    }

    private static String access(Route one) {
        return one.auth() == null ? one.access() : one.access() + ", " + (one.header() == null ? one.auth() : one.auth() + " " + one.header());
    }

    private static String path(Route one) {
        String prefix = one.pathPrefix().equals("/") ? "" : one.pathPrefix();
        return one.rewrite() == null ? prefix : one.pathPrefix() + " as " + one.rewrite();
    }

    private static String rate(Route one) {
        RouteRate rate = one.rate();
        if (rate == null) {
            return "";
        }
        Integer burst = rate.burst();
        return rate.perSecond() + "/s" + (burst == null || burst.intValue() == rate.perSecond() ? "" : ", " + burst + " at once");
    }

    private static String cors(@Nullable RouteCors cors) {
        return cors == null ? "" : String.join(" ", cors.origins()) + (Boolean.TRUE.equals(cors.credentials()) ? ", with credentials" : "");
    }
}
