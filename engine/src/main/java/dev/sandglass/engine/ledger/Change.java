package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a write to the ledger means for those who watch a sandbox. Every write of a sandbox is one, so nothing happens to it
 * that is not told.
 */
public record Change(String type, Map<String, String> data) {
    /** @param before the record that is replaced; nothing when it is new */
    public static Change of(Optional<SandboxRecord> before, SandboxRecord after) {
        if (before.isEmpty()) {
            return new Change("sandbox.creating", Map.of("runtime", after.runtime(), "image", after.image()));
        }
        SandboxRecord old = before.get();
        if (after.state() instanceof SandboxState.Running && !(old.state() instanceof SandboxState.Running)) {
            return new Change(old.state() instanceof SandboxState.Creating ? "sandbox.created" : "sandbox.started", Map.of());
        }
        if (!old.state().text().equals(after.state().text())) {
            return new Change("sandbox." + after.state().text(), after.state().why().map(reason -> Map.of("reason", reason)).orElse(Map.of()));
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
        return changed.isEmpty() ? List.of("settings") : changed;
    }
}
