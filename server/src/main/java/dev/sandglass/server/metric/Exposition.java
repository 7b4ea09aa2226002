package dev.sandglass.server.metric;

import java.nio.charset.StandardCharsets;

/** Metrics as text, version 0.0.4 of the format. Used by one thread. */
public final class Exposition {
    public static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final StringBuilder text = new StringBuilder();

    /** Begins a metric; its values follow. */
    public Exposition family(String name, String type, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        return this;
    }

    /** @param labels names and values in turn */
    public Exposition value(String name, Number value, String... labels) {
        text.append(name);
        for (int i = 0; i < labels.length; i += 2) {
            text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"").append(escaped(labels[i + 1])).append('"');
        }
        text.append(labels.length == 0 ? " " : "} ").append(number(value)).append('\n');
        return this;
    }

    /** A metric with one value. */
    public Exposition gauge(String name, String help, Number value) {
        return family(name, "gauge", help).value(name, value);
    }

    public byte[] bytes() {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Without the fraction that whole numbers do not have. */
    static String number(Number value) {
        String text = value.toString();
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
