package dev.sandglass.engine.service;

import java.util.Locale;

/** The unit file of a service: what was meant, in the words and quotes of systemd, so that the agent and any other reader read it back exactly. */
final class UnitText {
    /** How a file begins that Sandglass wrote, and may replace and remove. */
    static final String MARK = "# Made by Sandglass";

    /** Before a program: no variables are put in the place of dollars. */
    private static final String AS_IT_IS = ":";

    private static final int MINUTE = 60;
    private static final long MOST_BACKOFF_MILLIS = 60_000;
    private static final int BACKOFF_STEPS = 6;

    private UnitText() {}

    static String of(Definition service) {
        StringBuilder text = new StringBuilder(MARK).append(": `sandglass service create --replace` writes it anew, `service rm` removes it.\n");
        unit(text, service);
        service(text, service);
        text.append("\n[Install]\nWantedBy=multi-user.target\n");
        own(text, service);
        return text.toString();
    }

    private static void unit(StringBuilder text, Definition service) {
        text.append("[Unit]\n");
        service.description().ifPresent(description -> entry(text, "Description", literal(description)));
        service.after().forEach(other -> entry(text, "After", literal(other + ".service")));
        entry(text, "StartLimitIntervalSec", String.valueOf(MINUTE));
        entry(text, "StartLimitBurst", String.valueOf(service.maxRestarts() + 1)); // the first start counts too
    }

    private static void service(StringBuilder text, Definition service) {
        text.append("\n[Service]\nType=exec\n");
        StringBuilder line = new StringBuilder(AS_IT_IS).append(word(service.program()));
        service.arguments().forEach(argument -> line.append(' ').append(argument.equals(";") ? "\\;" : word(argument))); // else it would end the command
        entry(text, "ExecStart", line.toString());
        entry(text, "WorkingDirectory", service.directory().map(UnitText::literal).orElse("~"));
        service.env().forEach((name, value) -> entry(text, "Environment", word(name + "=" + value)));
        service.user().ifPresent(user -> entry(text, "User", user));
        service.group().ifPresent(group -> entry(text, "Group", group));
        entry(text, "Restart", service.restart().word());
        entry(text, "RestartSec", seconds(service.backoffMillis()));
        if (service.backoffMillis() < MOST_BACKOFF_MILLIS) {
            entry(text, "RestartSteps", String.valueOf(BACKOFF_STEPS));
            entry(text, "RestartMaxDelaySec", seconds(MOST_BACKOFF_MILLIS));
        }
    }

    private static void own(StringBuilder text, Definition service) {
        text.append("\n[X-Sandglass]\n");
        service.port().ifPresent(port -> entry(text, "Port", String.valueOf(port)));
        service.health().ifPresent(health -> {
            switch (health.check()) {
                case Definition.Check.Command(String line) -> entry(text, "HealthCommand", AS_IT_IS + "/bin/sh -c " + word(line));
                case Definition.Check.Path(String path) -> entry(text, "HealthPath", literal(path));
                case Definition.Check.Tcp() -> entry(text, "HealthTcp", "yes");
            }
            entry(text, "HealthInterval", seconds(health.intervalMillis()));
            entry(text, "HealthTimeout", seconds(health.timeoutMillis()));
            entry(text, "HealthRetries", String.valueOf(health.retries()));
        });
    }

    private static void entry(StringBuilder text, String key, String value) {
        text.append(key).append('=').append(value).append('\n');
    }

    /** A word in quotes, with everything escaped that means something inside of them. */
    static String word(String meant) {
        StringBuilder word = new StringBuilder("\"");
        for (int at = 0; at < meant.length(); at++) {
            char one = meant.charAt(at);
            switch (one) {
                case '"', '\\' -> word.append('\\').append(one);
                case '%' -> word.append("%%");
                case '\n' -> word.append("\\n");
                case '\t' -> word.append("\\t");
                case '\r' -> word.append("\\r");
                default -> word.append(one < ' ' || one == 0x7f ? String.format(Locale.ROOT, "\\x%02x", (int) one) : String.valueOf(one));
            }
        }
        return word.append('"').toString();
    }

    /** A value that is the rest of its line. */
    private static String literal(String meant) {
        return meant.replace("%", "%%");
    }

    private static String seconds(long millis) {
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }
}
