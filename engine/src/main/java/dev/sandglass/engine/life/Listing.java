package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.SandboxState;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which sandboxes, or snapshots, somebody wants to see; what is empty does not matter.
 *
 * @param states the states' words; naming {@code destroyed} asks for the history of sandboxes
 * @param namePrefix how the name begins
 * @param labels all of them, each with its value
 * @param all destroyed sandboxes too, as far as history goes; snapshots too that nobody asked for
 * @param cursor of the page before
 */
public record Listing(
        Set<String> states,
        Optional<String> namePrefix,
        Optional<String> runtime,
        Map<String, String> labels,
        boolean all,
        Optional<String> cursor,
        int limit) {

    /** Whether destroyed ones may be among them. */
    boolean history() {
        return states.isEmpty() ? all : states.contains(new SandboxState.Destroyed(Optional.empty()).text());
    }

    boolean wants(SandboxRecord record) {
        boolean isMeant = !states.isEmpty() || all || !(record.state() instanceof SandboxState.Destroyed);
        return isMeant && fits(record.name(), record.state().text(), record.runtime(), record.labels());
    }

    /** Whether something with this name, state, runtime and labels meets the conditions. */
    public boolean fits(String name, String state, String itsRuntime, Map<String, String> itsLabels) {
        return (states.isEmpty() || states.contains(state))
                && name.startsWith(namePrefix.orElse(""))
                && itsRuntime.equals(runtime.orElse(itsRuntime))
                && itsLabels.entrySet().containsAll(labels.entrySet());
    }
}
