package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Sandbox;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code ls}: the sandboxes of the daemon. */
final class LsVerb extends Verb {
    private final Syntax.Flag quiet = syntax.flag("Print the ids and nothing else.", "-q", "--quiet");
    private final Syntax.Flag all = syntax.flag("Also those that were destroyed, as far as they are remembered.", "-a", "--all");
    private final Filter filter = new Filter(syntax);
    private final Syntax.Value last = syntax.value("N", "Only so many of those that fit, the newest.", "-n", "--last");
    private final Watching watching = new Watching(syntax);

    LsVerb() {
        super(new Syntax("ls", "List the sandboxes, oldest first."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        Long count = Amount.count("last", last.orNull());
        try (Client client = client(console)) {
            return watching.show(console, () -> text(console, format, newest(filter.of(() -> client.list(all.isSet())), count)));
        }
    }

    private static List<Sandbox> newest(List<Sandbox> sandboxes, @Nullable Long count) {
        return count == null || count >= sandboxes.size() ? sandboxes : sandboxes.subList(sandboxes.size() - count.intValue(), sandboxes.size());
    }

    private String text(Console console, Format format, List<Sandbox> sandboxes) {
        if (quiet.isSet()) {
            StringBuilder ids = new StringBuilder();
            sandboxes.forEach(sandbox -> ids.append(sandbox.id()).append('\n'));
            return ids.toString();
        }
        return format.structured() ? Document.ofList(sandboxes, format, console) : table(sandboxes, console.styled());
    }

    static String table(List<Sandbox> sandboxes, boolean styled) {
        Table table = new Table("NAME", "ID", "STATE", "RUNTIME", "MEMORY", "CPUS", "AGE", "LABELS");
        long now = System.currentTimeMillis() / 1000;
        for (Sandbox sandbox : sandboxes) {
            table.row(
                    sandbox.name(),
                    sandbox.id(),
                    state(sandbox),
                    sandbox.runtime(),
                    Bytes.shown(sandbox.memoryMb() << 20),
                    number(sandbox.cpus()),
                    Age.shown(now - sandbox.createdAt().getEpochSecond()),
                    labels(sandbox.labels()));
        }
        return table.withoutEmpty("LABELS").text(styled);
    }

    /** With the reason where it is not what everybody expects. */
    private static String state(Sandbox sandbox) {
        String reason = sandbox.reason();
        boolean plain = reason == null || sandbox.state().equals("running") || reason.equals("stop") || reason.equals("api");
        return plain ? sandbox.state() : sandbox.state() + " (" + reason + ")";
    }

    static String labels(Map<String, String> labels) {
        return labels.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(","));
    }

    /** Without the ".0" of a whole number. */
    static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    /** Milliseconds as people want to read them. */
    static String milliseconds(double value) {
        return number(Math.round(value * 10) / 10.0) + " ms";
    }
}
