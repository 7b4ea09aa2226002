package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildTemplate;
import dev.sandglass.wire.CreateVolume;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.FleetResult;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Brings a fleet to what its file says.
 *
 * @param atOnce how many machines are worked on at a time
 * @param replaces whether those that are made of something else are made anew
 * @param prunes whether those that are not in the file are removed
 */
record FleetWork(Console console, Client client, FleetFile fleet, int atOnce, boolean replaces, boolean prunes) {
    /** What became of each, in the order of the file. */
    List<FleetResult> run() {
        List<Sandbox> sandboxes = client.list();
        FleetNeeds needs = FleetNeeds.of(client, fleet, sandboxes);
        for (CreateVolume volume : needs.volumes()) {
            client.volumes().create(volume);
            console.warn(console.terminal(Console.ERR) ? "" : "volume " + volume.name() + ": created\n");
        }
        Map<String, String> origins = new HashMap<>(needs.origins());
        Map<String, SandglassException> unbuilt = new ConcurrentHashMap<>();
        if (!needs.unbuilt().isEmpty()) {
            build(needs.unbuilt(), origins, unbuilt);
        }
        Map<String, Sandbox> there = sandboxes.stream().filter(one -> FleetLabels.isIn(fleet.name(), one.labels())).collect(Collectors.toMap(Sandbox::name, one -> one, (_, newer) -> newer));
        try (FleetView view = new FleetView(console, "fleet " + fleet.name())) {
            Set<String> names = new HashSet<>();
            for (FleetMachine machine : fleet.machines()) {
                names.add(machine.name());
                String origin = machine.entry().origin().map(named -> named.text()).orElse("");
                Fingerprint wanted = Fingerprint.of(machine, origins.getOrDefault(origin, ""));
                view.add(machine.name(), machine.entry().name().text(), (own, row) -> {
                    if (unbuilt.containsKey(origin)) {
                        throw Objects.requireNonNull(unbuilt.get(origin));
                    }
                    new FleetMaking(own, row, fleet.name(), machine, wanted, replaces).run(Optional.ofNullable(there.get(machine.name())));
                });
            }
            there.values().stream().filter(one -> !names.contains(one.name())).sorted(FleetLabels.ORDER).forEach(extra -> view.add(extra.name(), FleetLabels.machine(extra), (own, row) -> extra(own, row, extra)));
            return view.run(client, atOnce).stream().map(FleetRow::result).toList();
        }
    }

    private void extra(Client own, FleetRow row, Sandbox extra) {
        row.is(extra.id());
        if (!prunes) {
            row.over("extra", "it is not in the file");
            return;
        }
        remove(own, row, extra);
    }

    /** Fine if somebody else removes it. */
    static void remove(Client own, FleetRow row, Sandbox sandbox) {
        row.is(sandbox.id());
        row.step("removing");
        try {
            own.destroy(sandbox.id());
        } catch (SandglassException gone) {
            if (gone.code() != ErrorCode.SANDBOX_NOT_FOUND) {
                throw gone;
            }
        }
        row.over("removed", null);
    }

    /** Each template once, before the machines that begin with it. */
    private void build(Set<String> templates, Map<String, String> origins, Map<String, SandglassException> unbuilt) {
        Map<String, String> built = new ConcurrentHashMap<>();
        try (FleetView view = new FleetView(console, "templates")) {
            for (String name : templates) {
                view.add("template " + name, "", (own, row) -> {
                    Build ended = own.builds().await(own.templates().build(name, new BuildTemplate(null, null)), row::step, row::said);
                    if (ended.error() != null || ended.snapshot() == null) {
                        SandglassException problem = ended.error() == null
                                ? new SandglassException(ErrorCode.INTERNAL, "The build " + ended.id() + " ended without a snapshot.", "See the daemon's log.")
                                : SandglassException.from(ended.error());
                        unbuilt.put(name, new SandglassException(problem.code(), "template " + name + ": " + problem.what(), problem.hint(), problem));
                        throw problem;
                    }
                    built.put(name, ended.snapshot());
                    row.over("built", null);
                });
            }
            for (FleetRow row : view.run(client, atOnce)) {
                SandglassException problem = row.problem();
                if (problem != null) { // also one that kept the build from beginning
                    unbuilt.putIfAbsent(row.name().substring("template ".length()), problem);
                }
            }
        }
        origins.putAll(built);
    }
}
