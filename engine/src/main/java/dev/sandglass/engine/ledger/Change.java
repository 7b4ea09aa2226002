package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a write to the ledger means for those who watch a sandbox. Every write of a sandbox is one, so nothing happens to it
 * that is not told.
 */
public record Change(String type, Map<String, String> data) {
    private static final Change CREATED = new Change("sandbox.created", Map.of());

    /** What it means that a sandbox is new, and perhaps runs already. */
    public static List<Change> ofNew(SandboxRecord made) {
        Change creating = new Change("sandbox.creating", Map.of("runtime", made.runtime(), "image", made.image()));
        return made.state() instanceof SandboxState.Running ? List.of(creating, CREATED) : List.of(creating);
    }

    /** @param old the record that is replaced */
    public static Change of(SandboxRecord old, SandboxRecord after) {
        if (after.state() instanceof SandboxState.Running && !(old.state() instanceof SandboxState.Running)) {
            return switch (old.state()) {
                case SandboxState.Creating() -> CREATED;
                case SandboxState.Resuming _ -> new Change("sandbox.resumed", Map.of());
                default -> new Change("sandbox.started", Map.of());
            };
        }
        boolean restsElsewhere = after.state() instanceof SandboxState.Paused && !old.state().equals(after.state());
        if (restsElsewhere || !old.state().text().equals(after.state().text())) {
            return new Change("sandbox." + after.state().text(), after.state().why().map(reason -> Map.of("reason", reason)).orElse(Map.of()));
        }
        if (!old.lineage().equals(after.lineage())) {
            return new Change("sandbox.snapshotted", after.lineage().at().map(taken -> Map.of("snapshot", taken.text())).orElse(Map.of()));
        }
        return new Change("sandbox.updated", Map.of("changed", String.join(",", differences(old, after))));
    }

    private static List<String> differences(SandboxRecord old, SandboxRecord after) {
        List<String> changed = new ArrayList<>();
        if (!old.limits().equals(after.limits())) {
            changed.add("limits");
        }
        if (!old.labels().equals(after.labels())) {
            changed.add("labels");
        }
        if (!old.name().equals(after.name())) {
            changed.add("name");
        }
        if (!old.deadlines().equals(after.deadlines())) {
            changed.add("deadlines");
        }
        if (!old.credentials().equals(after.credentials())) {
            changed.add("credentials");
        }
        if (!old.volumes().equals(after.volumes())) {
            changed.add("volumes");
        }
        return changed.isEmpty() ? List.of("settings") : changed;
    }
}
