package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * What each layer takes on the disk beside the others that are there. Of layers that were taken of one tree, one after the other, each has the weight of
 * what it has beyond the one before; what one had that is gone goes over to the next, which has at most its own size. Layers of which the ledger does not know
 * that they share anything have their size. So no weight is too small, and the sum does not grow when a layer goes. Immutable.
 */
final class LayerWeights {
    private final Set<String> there;
    private final Function<SnapshotId, Optional<SnapshotRecord>> known;
    private final Map<String, Long> weights = new HashMap<>();
    /** Those that are gone and whose weight another has already. */
    private final Set<SnapshotId> handedOver = new HashSet<>();

    /**
     * @param there the layers that exist
     * @param known what the ledger has of a snapshot, deleted or not
     * @param size of a layer of which the ledger does not have it
     */
    LayerWeights(Set<String> there, Function<SnapshotId, Optional<SnapshotRecord>> known, ToLongFunction<String> size) {
        this.there = there;
        this.known = known;
        List<SnapshotRecord> owners = there.stream()
                .flatMap(layer -> owner(layer).stream())
                .sorted(Comparator.comparing(SnapshotRecord::createdAt).thenComparing(SnapshotRecord::id))
                .toList(); // what is gone goes to the first that came after it: later ones had no more of it
        owners.forEach(owner -> weights.put(owner.id().text(), weight(owner)));
        there.forEach(layer -> weights.computeIfAbsent(layer, size::applyAsLong));
    }

    long of(String layer) {
        return weights.getOrDefault(layer, 0L);
    }

    long sum() {
        return weights.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The snapshot whose own the layer is, if its size was written down. */
    private Optional<SnapshotRecord> owner(String layer) {
        return SnapshotId.isId(layer)
                ? known.apply(new SnapshotId(layer)).filter(owner -> !owner.bytes().equals(SnapshotRecord.Bytes.UNKNOWN))
                : Optional.empty();
    }

    private long weight(SnapshotRecord owner) {
        long size = owner.bytes().layer();
        long weight = owner.bytes().own();
        SnapshotRecord at = owner;
        while (weight < size && sharesWithParent(at)) {
            Optional<SnapshotRecord> parent = at.parent().flatMap(known);
            if (parent.isEmpty()) {
                return size;
            }
            at = parent.get();
            if (at.layers().stream().findFirst().filter(there::contains).isPresent() || !handedOver.add(at.id())) {
                return weight;
            }
            weight += at.bytes().own();
        }
        return Math.min(weight, size);
    }

    /** Less is a snapshot's own than its layer holds only if the parent was taken of the same tree. */
    private static boolean sharesWithParent(SnapshotRecord snapshot) {
        return snapshot.bytes().own() < snapshot.bytes().layer();
    }
}
