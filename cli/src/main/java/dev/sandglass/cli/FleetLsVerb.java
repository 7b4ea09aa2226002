package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Fleet;
import dev.sandglass.wire.FleetMember;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** {@code fleet ls}: the fleets, or the machines of one. */
final class FleetLsVerb extends Verb {
    private final Syntax.Value name = syntax.optionalOperand(0, "FLEET", "The machines of this fleet.");
    private final Syntax.Flag quiet = syntax.flag("Print the names and nothing else.", "-q", "--quiet");
    private final Watching watching = new Watching(syntax);

    FleetLsVerb() {
        super(new Syntax("fleet ls", "List the fleets, or the machines of one."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            return watching.show(console, () -> name.orNull() == null ? fleets(console, format, client) : members(console, format, client, name.orEmpty()));
        }
    }

    private String fleets(Console console, Format format, Client client) {
        List<Fleet> fleets = of(client.list(), client.volumes().list());
        if (quiet.isSet()) {
            return lines(fleets.stream().map(Fleet::name).toList());
        }
        return format.structured() ? Document.ofList(fleets, format, console) : FleetTables.fleets(fleets, console.styled());
    }

    private static List<Fleet> of(List<Sandbox> sandboxes, List<Volume> volumes) {
        TreeSet<String> names = new TreeSet<>();
        sandboxes.forEach(one -> FleetLabels.fleet(one.labels()).ifPresent(names::add));
        volumes.forEach(one -> FleetLabels.fleet(one.labels()).ifPresent(names::add));
        List<Fleet> fleets = new ArrayList<>();
        for (String name : names) {
            List<Sandbox> machines = sandboxes.stream().filter(one -> FleetLabels.isIn(name, one.labels())).toList();
            fleets.add(new Fleet(
                    name,
                    machines.size(),
                    (int) machines.stream().filter(one -> one.state().equals("running")).count(),
                    (int) machines.stream().filter(one -> !FleetLabels.isFinished(one)).count(),
                    (int) volumes.stream().filter(one -> FleetLabels.isIn(name, one.labels())).count()));
        }
        return fleets;
    }

    private String members(Console console, Format format, Client client, String fleet) {
        List<FleetMember> members = client.list().stream()
                .filter(one -> FleetLabels.isIn(fleet, one.labels()))
                .sorted(FleetLabels.ORDER)
                .map(one -> new FleetMember(fleet, FleetLabels.machine(one), one.name(), one.id(), one.state(), one.snapshot(), FleetLabels.isFinished(one)))
                .toList();
        if (members.isEmpty()) {
            throw new SandglassException(ErrorCode.SANDBOX_NOT_FOUND, "There is no machine of a fleet " + fleet + ".", "`sandglass fleet ls` lists the fleets.");
        }
        if (quiet.isSet()) {
            return lines(members.stream().map(FleetMember::name).toList());
        }
        return format.structured() ? Document.ofList(members, format, console) : FleetTables.members(members, console.styled());
    }

    private static String lines(List<String> names) {
        StringBuilder text = new StringBuilder();
        names.forEach(name -> text.append(Inert.text(name)).append('\n'));
        return text.toString();
    }
}
