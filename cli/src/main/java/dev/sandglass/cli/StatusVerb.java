package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.Status;
import java.util.Map;
import java.util.TreeMap;

/** {@code status}: whether the daemon runs, and what it has. */
final class StatusVerb extends Verb {
    StatusVerb() {
        super(new Syntax("status", "Tell whether the daemon runs, and what it has."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            Status status = client.status();
            console.print(format.structured() ? Document.of(status, format, console) : text(status));
            return OK;
        }
    }

    private static String text(Status status) {
        StringBuilder text = new StringBuilder();
        long seconds = System.currentTimeMillis() / 1000 - status.startedAt().getEpochSecond();
        line(text, "daemon", "running, version " + status.version() + ", pid " + status.pid() + ", up " + Age.shown(seconds));
        line(text, "address", status.address());
        line(text, "socket", status.socket());
        line(text, "routes", status.routeAddress() + " and below " + status.routeDomain());
        line(text, "data", status.dataDir());
        String note = status.pool().note() == null ? "" : ", " + status.pool().note();
        line(text, "pool", status.pool().kind() + ", " + Bytes.shown(status.pool().freeBytes()) + " free" + note);
        for (RuntimeStatus runtime : status.runtimes()) {
            line(text, "runtime", describe(runtime, runtime.name().equals(status.defaultRuntime())));
        }
        StringBuilder counts = new StringBuilder();
        for (Map.Entry<String, Long> state : new TreeMap<>(status.sandboxes()).entrySet()) {
            counts.append(counts.isEmpty() ? "" : ", ").append(state.getValue()).append(' ').append(state.getKey());
        }
        line(text, "sandboxes", counts.isEmpty() ? "none" : counts.toString());
        return text.toString();
    }

    private static String describe(RuntimeStatus runtime, boolean isDefault) {
        if (!runtime.available()) {
            return runtime.name() + ": not available" + (runtime.reason() == null ? "" : ", " + runtime.reason());
        }
        String engine = runtime.engine() == null ? "" : ", " + runtime.engine();
        String version = runtime.version() == null ? "" : " " + runtime.version();
        return runtime.name() + engine + version + (isDefault ? " (default)" : "");
    }

    private static void line(StringBuilder text, String label, String value) {
        text.append(label).repeat(' ', 12 - label.length()).append(Inert.text(value)).append('\n');
    }
}
