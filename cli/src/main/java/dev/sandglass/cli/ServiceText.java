package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Service;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Services as people read them. */
final class ServiceText {
    private static final int LONGEST_LINE = 60;
    private static final int LABEL = 13;

    private ServiceText() {}

    static String table(List<Service> services, boolean styled) {
        Table table = new Table("NAME", "STATE", "HEALTH", "PID", "PORT", "RESTARTS", "SINCE", "DESCRIPTION");
        long now = System.currentTimeMillis() / 1000;
        for (Service one : services) {
            table.row(
                    one.name(),
                    state(one),
                    or(one.health()),
                    or(one.pid()),
                    or(one.port()),
                    Long.toString(one.restarts()),
                    one.since() == null ? "" : Age.shown(now - one.since().getEpochSecond()),
                    shortened(one.description() == null ? or(one.command()) : one.description()));
        }
        return table.withoutEmpty("HEALTH", "PORT").text(styled);
    }

    /** One service in a line. */
    static String line(Service one) {
        return Inert.text(one.name()) + "   " + Inert.text(state(one)) + "\n";
    }

    /** All of it. */
    static String all(Service one) {
        StringBuilder text = new StringBuilder();
        row(text, "name", one.name());
        row(text, "description", one.description());
        row(text, "state", state(one));
        row(text, "reason", one.reason());
        row(text, "health", one.health());
        row(text, "pid", one.pid());
        row(text, "since", one.since());
        row(text, "port", one.port());
        row(text, "command", one.command());
        row(text, "user", one.user());
        row(text, "workdir", one.cwd());
        row(text, "restart", one.restart() + (one.restarts() == 0 ? "" : ", " + one.restarts() + " times so far"));
        row(text, "enabled", one.enabled() ? "yes" : "no");
        row(text, "unit", one.unit());
        one.unsupported().forEach(what -> row(text, "no effect", what));
        return text.toString();
    }

    private static String state(Service one) {
        boolean over = one.state().equals("failed") || one.state().equals("inactive") || one.state().equals("waiting");
        return over && one.lastExit() != null ? one.state() + " (" + one.lastExit() + ")" : one.state();
    }

    private static void row(StringBuilder text, String label, @Nullable Object value) {
        if (value != null) {
            text.append(label).repeat(' ', LABEL - label.length()).append(Inert.text(value.toString())).append('\n');
        }
    }

    private static String or(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    private static String shortened(String line) {
        return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE - 3) + "...";
    }
}
