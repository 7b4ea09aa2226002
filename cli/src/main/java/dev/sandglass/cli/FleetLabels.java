package dev.sandglass.cli;

import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.recipe.FleetText;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The labels by which sandboxes and volumes of fleets are known. */
final class FleetLabels {
    /** The name of the fleet. */
    static final String FLEET = FleetText.RESERVED + "fleet";

    /** The name of the entry that describes it. */
    static final String MACHINE = FleetText.RESERVED + "machine";

    /** What the entry said when it was made, see {@link Fingerprint}. */
    static final String ENTRY = FleetText.RESERVED + "entry";

    /** There from the beginning, and taken away when it has all that it is to have. */
    static final String UNFINISHED = FleetText.RESERVED + "unfinished";

    /** By entry, and those of one by number. */
    static final Comparator<Sandbox> ORDER = Comparator.comparing(FleetLabels::machine).thenComparingInt(one -> one.name().length()).thenComparing(Sandbox::name);

    private FleetLabels() {}

    /** Whether a sandbox is in any fleet, and in which. */
    static Optional<String> fleet(Map<String, String> labels) {
        return Optional.ofNullable(labels.get(FLEET));
    }

    static boolean isIn(String fleet, Map<String, String> labels) {
        return fleet.equals(labels.get(FLEET));
    }

    static String machine(Sandbox sandbox) {
        return Objects.requireNonNullElse(sandbox.labels().get(MACHINE), "");
    }

    static boolean isFinished(Sandbox sandbox) {
        return !sandbox.labels().containsKey(UNFINISHED);
    }
}
