package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CreateVolume;
import dev.sandglass.wire.Volume;
import dev.sandglass.wire.document.Nearest;
import dev.sandglass.wire.recipe.FleetText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The volumes of the machines of a fleet, held against those that there are. */
final class FleetVolumes {
    /** A volume that one machine is to have. */
    private record Use(FleetMachine machine, FleetText.Volume wanted) {
        boolean writes() {
            return !"ro".equals(wanted.mode());
        }

        boolean isAlone() {
            return writes() && !"shared".equals(wanted.mode());
        }
    }

    private FleetVolumes() {}

    /** Those that are to be made; refuses one that is not there and has no size, and more who write than go together. */
    static List<CreateVolume> missing(Client client, FleetFile fleet) {
        Map<String, List<Use>> uses = new LinkedHashMap<>();
        fleet.machines().forEach(machine -> machine.entry().volumes().forEach(wanted -> uses.computeIfAbsent(wanted.of(machine.name()), _ -> new ArrayList<>()).add(new Use(machine, wanted))));
        if (uses.isEmpty()) {
            return List.of();
        }
        List<Volume> known = client.volumes().list();
        List<CreateVolume> missing = new ArrayList<>();
        uses.forEach((name, all) -> {
            Optional<Volume> there = known.stream().filter(one -> one.name().equals(name) || one.id().equals(name)).findFirst();
            if (there.isEmpty()) {
                missing.add(new CreateVolume(name, size(name, all, known), Map.of(FleetLabels.FLEET, fleet.name())));
            }
            if (there.isEmpty() || !there.get().kind().equals("snapshot")) {
                requireTogether(name, all);
            }
        });
        return missing;
    }

    /** Who says a size says it for all. */
    private static Long size(String name, List<Use> uses, List<Volume> known) {
        List<Use> sized = uses.stream().filter(use -> use.wanted().sizeMb() != null).toList();
        if (sized.isEmpty()) {
            String near = Nearest.find(name, known.stream().map(Volume::name).toList()).map(each -> " (expected: " + each + "?)").orElse("");
            throw FleetFile.refused(uses.getFirst().wanted().name().place(), "volumes: there is no volume " + name + near + ": it is made where a size is given");
        }
        Long size = Objects.requireNonNull(sized.getFirst().wanted().sizeMb());
        sized.stream().filter(use -> !size.equals(use.wanted().sizeMb())).findFirst().ifPresent(other -> {
            throw FleetFile.refused(other.wanted().name().place(), "volumes: " + name + " has two sizes, " + size + " MB and " + other.wanted().sizeMb() + " MB (expected: one)");
        });
        return size;
    }

    private static void requireTogether(String name, List<Use> uses) {
        List<Use> writers = uses.stream().filter(Use::writes).toList();
        if (writers.size() > 1 && writers.stream().anyMatch(Use::isAlone)) {
            Use other = writers.get(1);
            throw FleetFile.refused(
                    other.wanted().name().place(),
                    "volumes: " + writers.getFirst().machine().name() + " and " + other.machine().name() + " both write to " + name + " (expected: mode ro or shared, or ${MACHINE} in its name for one each)");
        }
    }
}
