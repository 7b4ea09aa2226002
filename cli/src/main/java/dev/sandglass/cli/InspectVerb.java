package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Sandbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code inspect}: all there is to know about sandboxes. */
final class InspectVerb extends Verb {
    private final Syntax.Values sandboxes = syntax.operands(0, 1, "SANDBOX", "Name, id, or the beginning of an id.");

    private final Watching watching = new Watching(syntax);

    InspectVerb() {
        super(new Syntax("inspect", "Show all there is to know about sandboxes."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            return watching.show(console, () -> text(console, client, format));
        }
    }

    private String text(Console console, Client client, Format format) {
        List<Sandbox> found = new ArrayList<>();
        for (String sandbox : sandboxes.all()) {
            found.add(client.inspect(sandbox));
        }
        if (format.structured()) {
            return found.size() == 1 ? Document.of(found.get(0), format, console) : Document.ofList(found, format, console);
        }
        StringBuilder text = new StringBuilder();
        found.forEach(sandbox -> text.append(text.isEmpty() ? "" : "\n").append(text(sandbox)));
        return text.toString();
    }

    private static String text(Sandbox sandbox) {
        StringBuilder text = new StringBuilder();
        line(text, "name", sandbox.name());
        line(text, "id", sandbox.id());
        line(text, "state", sandbox.state());
        line(text, "reason", sandbox.reason());
        line(text, "runtime", sandbox.runtime());
        line(text, "security", sandbox.security());
        line(text, "memory", Bytes.shown(sandbox.memoryMb() << 20));
        line(text, "cpus", LsVerb.number(sandbox.cpus()));
        line(text, "disk", Bytes.shown(sandbox.diskMb() << 20));
        line(text, "processes", Long.toString(sandbox.maxProcesses()));
        line(text, "image", sandbox.image());
        line(text, "created", sandbox.createdAt().toString());
        line(text, "started", sandbox.startedAt() == null ? null : sandbox.startedAt().toString());
        line(text, "pid", sandbox.pid() == null ? null : sandbox.pid().toString());
        pairs(text, "env", sandbox.env());
        pairs(text, "label", sandbox.labels());
        sandbox.warnings().forEach(warning -> line(text, "warning", warning));
        return text.toString();
    }

    private static void pairs(StringBuilder text, String label, Map<String, String> pairs) {
        pairs.forEach((name, value) -> line(text, label, name + "=" + value));
    }

    private static void line(StringBuilder text, String label, @Nullable String value) {
        if (value != null) {
            text.append(label).repeat(' ', 12 - label.length()).append(Inert.text(value)).append('\n');
        }
    }
}
