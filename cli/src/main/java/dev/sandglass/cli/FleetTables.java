package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Fleet;
import dev.sandglass.wire.FleetMember;
import dev.sandglass.wire.FleetResult;
import dev.sandglass.wire.Problem;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Fleets for people. */
final class FleetTables {
    private FleetTables() {}

    static String fleets(List<Fleet> fleets, boolean styled) {
        Table table = new Table("FLEET", "MACHINES", "RUNNING", "UNFINISHED", "VOLUMES");
        fleets.forEach(one -> table.row(one.name(), String.valueOf(one.machines()), String.valueOf(one.running()), String.valueOf(one.unfinished()), String.valueOf(one.volumes())));
        return table.text(styled);
    }

    static String members(List<FleetMember> members, boolean styled) {
        Table table = new Table("NAME", "ID", "MACHINE", "STATE", "FROM", "FINISHED");
        members.forEach(one -> table.row(one.name(), one.id(), one.machine(), one.state(), Objects.requireNonNullElse(one.snapshot(), ""), one.finished() ? "yes" : "no"));
        return table.withoutEmpty("FROM").text(styled);
    }

    static String results(List<FleetResult> results, boolean styled) {
        Table table = new Table("NAME", "ID", "OUTCOME", "SECONDS", "WHY");
        for (FleetResult one : results) {
            Problem error = one.error();
            String why = error == null ? Objects.requireNonNullElse(one.note(), "") : error.message().lines().findFirst().orElse("");
            table.row(one.name(), Objects.requireNonNullElse(one.id(), ""), one.outcome(), String.format(Locale.ROOT, "%.1f", one.ms() / 1000.0), why);
        }
        return table.withoutEmpty("WHY").text(styled);
    }
}
