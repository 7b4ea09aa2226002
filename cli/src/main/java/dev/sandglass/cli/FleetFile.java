package dev.sandglass.cli;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.document.Place;
import dev.sandglass.wire.recipe.FleetText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The file of a fleet, with the files that it names.
 *
 * @param file as it was named
 * @param name that of the file without its ending, where the file does not say
 */
record FleetFile(String file, String name, List<FleetMachine> machines) {
    /** @param environment for lines of files with variables that have no value */
    static FleetFile read(RecipeFile recipe, Map<String, String> environment) {
        String file = recipe.name();
        FleetText.Contents contents = FleetText.read(file, recipe.text());
        String name = contents.name() != null ? contents.name() : String.valueOf(Path.of(file).getFileName()).replaceFirst("\\.ya?ml$", "");
        if (!FleetText.isName(name)) {
            throw refused(new Place(file, 1, 1), "name is missing, and that of the file is none for a fleet");
        }
        List<FleetMachine> machines = new ArrayList<>();
        for (FleetText.Entry entry : contents.machines()) {
            Map<String, String> env = environment(recipe.directory(), entry, environment);
            entry.names().forEach(machine -> machines.add(FleetMachine.of(machine, entry, env)));
        }
        return new FleetFile(file, name, List.copyOf(machines));
    }

    static SandglassException refused(Place place, String what) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, place + ": " + what, "Correct the file at that place.");
    }

    private static @Nullable Map<String, String> environment(Path directory, FleetText.Entry entry, Map<String, String> environment) {
        Map<String, String> all = new LinkedHashMap<>();
        for (FleetText.Named named : entry.envFiles()) {
            try {
                Map<String, String> read = Pairs.environment(List.of(Neighbour.of(directory, named.text(), named.place()).real().toString()), List.of(), environment);
                all.putAll(Objects.requireNonNullElse(read, Map.of()));
            } catch (UsageException unreadable) {
                throw refused(named.place(), String.valueOf(unreadable.getMessage()).replaceFirst("^env-file: ", "env_file: "));
            }
        }
        if (entry.request().env() != null) {
            all.putAll(entry.request().env());
        }
        return all.isEmpty() ? null : all;
    }
}
