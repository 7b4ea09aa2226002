package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.TemplateStatus;
import dev.sandglass.wire.TemplateVersion;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Templates for people. */
final class TemplateText {
    private TemplateText() {}

    static String table(List<TemplateStatus> templates, boolean styled) {
        Table table = new Table("NAME", "FROM", "STATE", "VERSION", "BUILT", "COMPONENTS", "DESCRIPTION");
        for (TemplateStatus one : templates) {
            table.row(
                    one.name(), one.origin(), one.state(), one.version() == null ? "" : one.version().toString(), age(one.builtAt()), String.join(",", one.components()),
                    Objects.requireNonNullElse(one.description(), ""));
        }
        return table.withoutEmpty("VERSION", "BUILT", "COMPONENTS", "DESCRIPTION").text(styled);
    }

    static String line(TemplateStatus one) {
        String version = one.version() == null ? "" : " version " + one.version() + " (" + one.snapshot() + ")";
        return Inert.text(one.name() + "   " + one.state() + version) + "\n";
    }

    static String history(List<TemplateVersion> versions, boolean styled) {
        Table table = new Table("VERSION", "SNAPSHOT", "BUILT", "BUILD", "NOTE");
        for (TemplateVersion one : versions) {
            table.row(Long.toString(one.version()), one.snapshot(), age(one.builtAt()), Objects.requireNonNullElse(one.build(), ""), one.current() ? "current" : one.kept() ? "" : "deleted");
        }
        return table.text(styled);
    }

    private static String age(@Nullable Instant since) {
        return since == null ? "" : Age.shown(System.currentTimeMillis() / 1000 - since.getEpochSecond());
    }
}
