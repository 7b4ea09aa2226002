package dev.sandglass.engine.usage;

import dev.sandglass.wire.Sample;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/** The newest samples of one thing. Thread-safe. */
final class History {
    private final int kept;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();
    private long oomKills;

    History(int kept) {
        this.kept = kept;
    }

    synchronized void add(Sample sample, long oomKillsByThen) {
        oomKills = oomKillsByThen;
        if (samples.size() == kept) {
            samples.removeFirst();
        }
        samples.addLast(sample);
    }

    synchronized Optional<Sample> last() {
        return Optional.ofNullable(samples.peekLast());
    }

    /** Processes that were killed for memory by the newest sample. */
    synchronized long oomKills() {
        return oomKills;
    }

    synchronized List<Sample> all() {
        return List.copyOf(samples);
    }
}
