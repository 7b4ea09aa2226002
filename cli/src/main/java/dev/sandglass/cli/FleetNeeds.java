package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.wire.Bundle;
import dev.sandglass.wire.Component;
import dev.sandglass.wire.ComponentList;
import dev.sandglass.wire.CreateVolume;
import dev.sandglass.wire.Credential;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.TemplateStatus;
import dev.sandglass.wire.document.Nearest;
import dev.sandglass.wire.recipe.FleetText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a fleet needs that the daemon must have: it is looked for before anything is made.
 *
 * @param volumes that are to be made
 * @param origins the ids of what entries begin with, as far as they are there, by the names in the file
 * @param unbuilt templates that entries begin with and that are built first
 */
record FleetNeeds(List<CreateVolume> volumes, Map<String, String> origins, Set<String> unbuilt) {
    /** Refuses what is not there, and names that others have. */
    static FleetNeeds of(Client client, FleetFile fleet, List<Sandbox> sandboxes) {
        requireFreeNames(fleet, sandboxes);
        List<FleetText.Entry> entries = fleet.machines().stream().map(FleetMachine::entry).distinct().toList();
        requireRuntimes(client, entries);
        requireComponents(client, entries);
        requireCredentials(client, entries);
        FleetNeeds needs = new FleetNeeds(FleetVolumes.missing(client, fleet), new HashMap<>(), new TreeSet<>());
        List<TemplateStatus> templates = entries.stream().anyMatch(entry -> entry.origin().isPresent()) ? client.templates().list() : List.of();
        entries.forEach(entry -> entry.origin().ifPresent(origin -> needs.find(client, templates, entry, origin)));
        return needs;
    }

    private static void requireFreeNames(FleetFile fleet, List<Sandbox> sandboxes) {
        Set<String> names = fleet.machines().stream().map(FleetMachine::name).collect(Collectors.toSet());
        List<Sandbox> others = sandboxes.stream().filter(one -> names.contains(one.name()) && !FleetLabels.isIn(fleet.name(), one.labels())).sorted(FleetLabels.ORDER).toList();
        if (!others.isEmpty()) {
            String which = others.stream().map(one -> one.name() + FleetLabels.fleet(one.labels()).map(other -> " (of the fleet " + other + ")").orElse("")).collect(Collectors.joining(", "));
            throw new SandglassException(
                    ErrorCode.NAME_TAKEN,
                    fleet.file() + ": sandboxes that are not of the fleet " + fleet.name() + " have names of its machines: " + which + ".",
                    "Give the machines other names, or the sandboxes: `sandglass update " + others.getFirst().name() + " --name NAME`.");
        }
    }

    private static void requireRuntimes(Client client, List<FleetText.Entry> entries) {
        if (entries.stream().allMatch(entry -> entry.request().runtime() == null)) {
            return;
        }
        List<String> known = Stream.concat(Stream.of("auto"), client.status().runtimes().stream().map(RuntimeStatus::name)).toList();
        for (FleetText.Entry entry : entries) {
            String runtime = entry.request().runtime();
            require(runtime == null ? List.of() : List.of(runtime), known, entry, "runtime: there is no runtime ");
        }
    }

    private static void requireComponents(Client client, List<FleetText.Entry> entries) {
        if (entries.stream().allMatch(entry -> entry.components().isEmpty())) {
            return;
        }
        ComponentList known = client.builds().components();
        for (FleetText.Entry entry : entries) {
            Set<String> names = new TreeSet<>(known.components().stream().map(Component::name).toList());
            names.addAll(known.bundles().stream().map(Bundle::name).toList());
            names.addAll(entry.definitions().stream().map(Component::name).toList());
            require(entry.components(), names, entry, "provision: there is no component ");
        }
    }

    private static void requireCredentials(Client client, List<FleetText.Entry> entries) {
        for (FleetText.Entry entry : entries) {
            List<String> wanted = Objects.requireNonNullElse(entry.request().credentials(), List.of());
            if (!wanted.isEmpty()) {
                require(wanted, client.credentials().list().stream().map(Credential::name).toList(), entry, "credentials: there is no credential ");
            }
        }
    }

    private static void require(List<String> wanted, Collection<String> known, FleetText.Entry entry, String what) {
        wanted.stream().filter(name -> !known.contains(name)).findFirst().ifPresent(name -> {
            throw FleetFile.refused(what.startsWith("provision") ? entry.provision() : entry.name().place(), what + name + near(name, known));
        });
    }

    private static String near(String name, Collection<String> known) {
        return Nearest.find(name, known).map(near -> " (expected: " + near + "?)").orElse("");
    }

    private void find(Client client, List<TemplateStatus> templates, FleetText.Entry entry, FleetText.Named origin) {
        String name = origin.text();
        Optional<TemplateStatus> template = templates.stream().filter(one -> one.name().equals(name)).findFirst();
        if (entry.request().image() != null) {
            origins.put(name, found(origin, "image", "image", List.of(), () -> client.images().get(name).id()));
        } else if (template.isPresent()) {
            String snapshot = template.get().snapshot();
            if (snapshot == null) {
                unbuilt.add(name);
            } else {
                origins.put(name, snapshot);
            }
        } else {
            List<String> names = new ArrayList<>(templates.stream().map(TemplateStatus::name).toList());
            if (entry.request().template() != null) {
                throw FleetFile.refused(origin.place(), "template: there is no template " + name + near(name, names));
            }
            client.snapshots(false).stream().map(Snapshot::name).filter(Objects::nonNull).forEach(names::add);
            origins.put(name, found(origin, "from", "snapshot or template", names, () -> client.snapshot(name).id()));
        }
    }

    /** Asks for something; that it is not there is told with its place. */
    private static String found(FleetText.Named origin, String key, String what, List<String> known, Supplier<String> id) {
        try {
            return id.get();
        } catch (SandglassException problem) {
            throw switch (problem.code().category()) {
                case NOT_FOUND -> FleetFile.refused(origin.place(), key + ": there is no " + what + " " + origin.text() + near(origin.text(), known));
                case USAGE, CONFLICT -> FleetFile.refused(origin.place(), key + ": " + problem.what());
                case DENIED, FAILED -> problem;
            };
        }
    }
}
