package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.SandboxState;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which sandboxes somebody wants to see; what is empty does not matter.
 *
 * @param states the states' words; naming {@code destroyed} asks for history
 * @param namePrefix how the name begins
 * @param labels all of them, each with its value
 * @param all destroyed ones too, as far as history goes
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
        boolean fits = states.isEmpty() ? all || !(record.state() instanceof SandboxState.Destroyed) : states.contains(record.state().text());
        return fits
                && record.name().startsWith(namePrefix.orElse(""))
                && record.runtime().equals(runtime.orElse(record.runtime()))
                && record.labels().entrySet().containsAll(labels.entrySet());
    }
}
