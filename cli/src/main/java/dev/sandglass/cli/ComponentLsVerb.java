package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Bundle;
import dev.sandglass.wire.Component;
import dev.sandglass.wire.ComponentList;
import dev.sandglass.wire.ComponentMemory;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code component ls}: what can be installed by name. */
final class ComponentLsVerb extends Verb {
    private final Syntax.Flag quiet = syntax.flag("Print the names and nothing else.", "-q", "--quiet");

    ComponentLsVerb() {
        super(new Syntax("component ls", "List the components that can be installed by name, and bundles of them."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            ComponentList all = client.builds().components();
            orNone(all.problems()).forEach(problem -> console.warn("warning: " + Inert.text(problem) + "; the file is left out\n"));
            if (quiet.isSet()) {
                all.components().forEach(each -> console.print(Inert.text(each.name()) + "\n"));
                all.bundles().forEach(each -> console.print(Inert.text(each.name()) + "\n"));
            } else {
                console.print(format.structured() ? Document.of(all, format, console) : table(all, console.styled()));
            }
            return OK;
        }
    }

    private static String table(ComponentList all, boolean styled) {
        Table table = new Table("NAME", "MEMORY", "REACHES", "TAGS", "FROM", "DESCRIPTION");
        for (Component one : all.components()) {
            table.row(
                    one.name(), memory(one.memory()), String.join(",", orNone(one.domains())), String.join(",", orNone(one.tags())), Objects.requireNonNullElse(one.origin(), ""),
                    Objects.requireNonNullElse(one.description(), ""));
        }
        for (Bundle one : all.bundles()) {
            table.row(one.name(), "", "", "bundle", Objects.requireNonNullElse(one.origin(), ""), String.join(", ", one.components()));
        }
        return table.text(styled);
    }

    private static String memory(@Nullable ComponentMemory memory) {
        return memory == null ? "" : megabytes(memory.provisionMb()) + "/" + megabytes(memory.runMb());
    }

    private static String megabytes(@Nullable Long amount) {
        return amount == null ? "-" : amount + " MB";
    }

    private static List<String> orNone(@Nullable List<String> texts) {
        return Objects.requireNonNullElse(texts, List.of());
    }
}
