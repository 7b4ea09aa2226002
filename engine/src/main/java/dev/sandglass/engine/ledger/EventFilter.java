package dev.sandglass.engine.ledger;

import java.util.Optional;
import java.util.Set;

/**
 * Which events somebody wants.
 *
 * @param sandbox a name, an id or the beginning of an id, whether there is such a sandbox or not
 * @param types types ({@code sandbox.failed}) or kinds ({@code sandbox}); all if empty
 */
public record EventFilter(Optional<String> sandbox, Set<String> types) {
    /** All of them. */
    public static final EventFilter ALL = new EventFilter(Optional.empty(), Set.of());

    /** Those about one sandbox. */
    public static EventFilter about(SandboxRecord sandbox, Set<String> types) {
        return new EventFilter(Optional.of(sandbox.id().text()), types);
    }

    public boolean matches(String type, String sandboxId, String sandboxName) {
        return sandbox.map(ref -> sandboxName.equals(ref) || sandboxId.startsWith(ref) || sandboxId.startsWith("sbx-" + ref)).orElse(true)
                && (types.isEmpty() || types.contains(type) || types.contains(kind(type)));
    }

    private static String kind(String type) {
        return type.substring(0, Math.max(0, type.indexOf('.')));
    }
}
