package dev.sandglass.engine.diff;

import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.snapshot.HeldState;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.wire.Diff;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Tells what differs between snapshots, and between a snapshot and a sandbox as it is now. Thread-safe. */
public final class Differences {
    private static final Duration AT_MOST = Duration.ofSeconds(60);

    private final States states;
    private final Images images;
    private final TreeComparison comparison;

    public Differences(Ledger ledger, Snapshots snapshots, Images images, TreeComparison comparison) {
        this.states = new States(ledger, snapshots);
        this.images = images;
        this.comparison = comparison;
    }

    /**
     * What has to be done to the one to get the other.
     *
     * @param from a snapshot or a sandbox; if empty what the other grew from
     * @param texts whether differences of texts are told line by line
     * @param limit of files that are told one by one
     */
    public Diff between(Optional<String> from, String to, boolean texts, int limit) {
        try (HeldState after = states.open(to);
                HeldState before = from.map(states::open).orElseGet(() -> states.before(after))) {
            Gathering gathering = new Gathering(before.kind().equals("image"), texts, limit);
            boolean whole = comparison.compare(layers(before), layers(after), AT_MOST, gathering);
            return gathering.diff(before, after, whole);
        }
    }

    private List<Path> layers(HeldState state) {
        return Stream.concat(state.layers().stream(), images.require(state.image()).layers().stream()).toList();
    }
}
