package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.FleetResult;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Volume;
import java.util.ArrayList;
import java.util.List;

/** {@code fleet destroy}: all machines of a fleet are gone for good. */
final class FleetDestroyVerb extends FleetVerb {
    private final Syntax.Value name = syntax.optionalOperand(0, "FLEET", "The name of the fleet.");
    private final Syntax.Value file = syntax.value("FILE", "The file of the fleet, instead of its name.", "-f", "--file");
    private final Syntax.Flag volumes = syntax.flag("Its volumes too: those that were made for it, with all that is in them.", "--volumes");
    private final Syntax.Flag force = syntax.flag("One that is not there is fine.", "--force");

    FleetDestroyVerb() {
        super(new Syntax("fleet destroy", "Remove all machines of a fleet for good, also those that are not in its file any more."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        if ((name.orNull() == null) == (file.orNull() == null)) {
            throw new UsageException("which fleet is missing or there twice (expected: either its name or --file)");
        }
        int atOnce = atOnce();
        String fleet = name.orNull() == null ? FleetFile.read(RecipeFile.read(file.orEmpty(), console.in()), console.environment()).name() : name.orEmpty();
        try (Client client = client(console)) {
            List<Sandbox> machines = client.list().stream().filter(one -> FleetLabels.isIn(fleet, one.labels())).sorted(FleetLabels.ORDER).toList();
            List<Volume> made = client.volumes().list().stream().filter(one -> FleetLabels.isIn(fleet, one.labels())).toList();
            if (machines.isEmpty() && (made.isEmpty() || !volumes.isSet()) && !force.isSet()) {
                throw new SandglassException(ErrorCode.SANDBOX_NOT_FOUND, "There is no machine of a fleet " + fleet + ".", made.isEmpty() ? "`sandglass fleet ls` lists the fleets." : "Its volumes are there: --volumes removes them.");
            }
            List<FleetResult> results = new ArrayList<>(removed(console, client, fleet, machines, atOnce));
            if (volumes.isSet()) {
                results.addAll(deleted(console, client, fleet, made));
            }
            return tell(console, format, results);
        }
    }

    private static List<FleetResult> removed(Console console, Client client, String fleet, List<Sandbox> machines, int atOnce) {
        try (FleetView view = new FleetView(console, "fleet " + fleet)) {
            machines.forEach(one -> view.add(one.name(), FleetLabels.machine(one), (own, row) -> FleetWork.remove(own, row, one)));
            return view.run(client, atOnce).stream().map(FleetRow::result).toList();
        }
    }

    /** After the machines, which have them. */
    private static List<FleetResult> deleted(Console console, Client client, String fleet, List<Volume> volumes) {
        try (FleetView view = new FleetView(console, "volumes of " + fleet)) {
            for (Volume one : volumes) {
                view.add("volume " + one.name(), "", (own, row) -> {
                    row.is(one.id());
                    row.step("removing");
                    own.volumes().delete(one.id());
                    row.over("removed", null);
                });
            }
            return view.run(client, 1).stream().map(FleetRow::result).toList();
        }
    }
}
