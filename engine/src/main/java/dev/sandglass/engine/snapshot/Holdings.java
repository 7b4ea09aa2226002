package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotPosition;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is on the disk because of snapshots: every layer once, whoever stands on it, merged ones too, and captured memory. Not thread-safe.
 */
final class Holdings {
    private static final int PAGE = 1000;

    private final SnapshotLedger ledger;
    private final LayerStore layers;
    /** Layers never change. */
    private final Map<String, Long> measured = new HashMap<>();

    /** What is there because of one snapshot, the first that needs it; or because of none, but of sandboxes, or to be merged with. */
    record Share(Optional<SnapshotRecord> snapshot, long bytes) {}

    Holdings(SnapshotLedger ledger, LayerStore layers) {
        this.ledger = ledger;
        this.layers = layers;
    }

    /** @param without those that are counted elsewhere, whole or not */
    List<Share> shares(Set<SnapshotId> without) {
        Set<String> there = new HashSet<>(layers.layers().names());
        there.removeIf(layer -> layer.startsWith(LayerStore.PASSING) || layer.startsWith(LayerStore.OF_IMAGE) || maker(layer).filter(without::contains).isPresent());
        measured.keySet().retainAll(there);
        LayerWeights weights = new LayerWeights(there, ledger::find, this::measure);
        long rest = weights.sum();
        List<Share> shares = new ArrayList<>();
        for (SnapshotRecord snapshot : ready()) {
            if (!without.contains(snapshot.id())) {
                long disk = snapshot.layers().stream().filter(there::remove).mapToLong(weights::of).sum();
                shares.add(new Share(Optional.of(snapshot), disk + snapshot.memory().map(SnapshotRecord.Memory::bytes).orElse(0L)));
                rest -= disk;
            }
        }
        shares.add(new Share(Optional.empty(), rest));
        return shares;
    }

    /** For which snapshot a layer was made; an import makes several. */
    private static Optional<SnapshotId> maker(String layer) {
        String name = layer.substring(0, Math.min(layer.length(), SnapshotId.LENGTH));
        return SnapshotId.isId(name) ? Optional.of(new SnapshotId(name)) : Optional.empty();
    }

    private long measure(String layer) {
        try {
            return measured.computeIfAbsent(layer, unknown -> layers.bytes(unknown, Optional.empty()).total());
        } catch (RuntimeException problem) {
            if (layers.layers().names().contains(layer)) {
                throw problem;
            }
            return 0; // it went meanwhile
        }
    }

    private List<SnapshotRecord> ready() {
        List<SnapshotRecord> all = new ArrayList<>();
        List<SnapshotRecord> page;
        Optional<SnapshotPosition> after = Optional.empty();
        do {
            page = ledger.list(after, PAGE, true);
            page.stream().filter(snapshot -> snapshot.state() == SnapshotState.READY).forEach(all::add);
            after = page.isEmpty() ? after : Optional.of(SnapshotPosition.of(page.getLast()));
        } while (page.size() == PAGE);
        return all;
    }
}
