package dev.sandglass.engine.snapshot;

import dev.sandglass.wire.Snapshot;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which snapshots somebody wants to see; what is empty does not matter.
 *
 * @param states the states' words
 * @param namePrefix how the name begins
 * @param labels all of them, each with its value
 * @param all those too that are kept for sandboxes which are paused, were turned back or are captured now and then
 * @param cursor of the page before
 */
public record SnapshotListing(
        Set<String> states,
        Optional<String> namePrefix,
        Optional<String> runtime,
        Map<String, String> labels,
        boolean all,
        Optional<String> cursor,
        int limit) {

    boolean wants(Snapshot snapshot) {
        String name = snapshot.name();
        return (states.isEmpty() || states.contains(snapshot.state()))
                && (namePrefix.isEmpty() || (name != null && name.startsWith(namePrefix.get())))
                && snapshot.runtime().equals(runtime.orElse(snapshot.runtime()))
                && snapshot.labels().entrySet().containsAll(labels.entrySet());
    }
}
