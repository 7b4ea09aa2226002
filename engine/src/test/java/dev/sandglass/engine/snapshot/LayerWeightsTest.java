package dev.sandglass.engine.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every layer counts once, with what it has beyond those that are there. */
class LayerWeightsTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private final Map<SnapshotId, SnapshotRecord> ledger = new HashMap<>();
    private final Set<String> there = new HashSet<>();

    @Test
    void whatOneHadThatIsGoneGoesOverToTheNext() {
        SnapshotRecord first = taken(Optional.empty(), 900, 900);
        SnapshotRecord second = taken(Optional.of(first), 1, 901);
        SnapshotRecord third = taken(Optional.of(second), 1, 902);
        assertThat(weights().sum()).isEqualTo(902);
        gone(second);
        assertThat(weights().sum()).isEqualTo(902);
        assertThat(weights().of(third.id().text())).isEqualTo(2);
        gone(first);
        assertThat(weights().sum()).isEqualTo(902);
    }

    @Test
    void itTakesNoMoreThanItIsLarge() {
        SnapshotRecord first = taken(Optional.empty(), 900, 900);
        taken(Optional.of(first), 5, 10);
        assertThat(weights().sum()).isEqualTo(905);
        gone(first);
        assertThat(weights().sum()).isEqualTo(10);
    }

    @Test
    void ofSeveralThatFollowedOneTheFirstTakesWhatItHad() {
        SnapshotRecord first = taken(Optional.empty(), 900, 900);
        taken(Optional.of(first), 1, 901); // for a fork: the sandbox stays at the one before
        taken(Optional.of(first), 2, 302);
        gone(first);
        assertThat(weights().sum()).isEqualTo(903);
    }

    @Test
    void layersOfWhichNothingIsWrittenDownAreMeasured() {
        taken(Optional.empty(), 900, 900);
        there.add("merged-0123");
        there.add("snap-000000000000-1");
        assertThat(weights().sum()).isEqualTo(900 + 7 + 7);
    }

    @Test
    void oneWhoseParentNobodyKnowsHasItsSize() {
        SnapshotRecord first = taken(Optional.empty(), 900, 900);
        taken(Optional.of(first), 1, 901);
        gone(first);
        ledger.remove(first.id());
        assertThat(weights().sum()).isEqualTo(901);
    }

    /** A tree whose blocks come and go, of which all are kept that some layer has. */
    @Test
    void itIsNeverLessThanWhatIsThereAndDoesNotGrowWhenOneGoes() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            ledger.clear();
            there.clear();
            Map<SnapshotRecord, Set<Integer>> content = new HashMap<>();
            Set<Integer> tree = new HashSet<>();
            Optional<SnapshotRecord> last = Optional.empty();
            Set<Integer> before = Set.of();
            int block = 0;
            for (int i = 0; i < 8; i++) {
                tree.removeIf(_ -> random.nextInt(4) == 0);
                for (int more = random.nextInt(30); more > 0; more--) {
                    tree.add(block++);
                }
                Set<Integer> own = new HashSet<>(tree);
                own.removeAll(before);
                SnapshotRecord next = taken(last, own.size(), tree.size());
                content.put(next, Set.copyOf(tree));
                if (random.nextInt(3) > 0) { // else it was for a fork
                    last = Optional.of(next);
                    before = Set.copyOf(tree);
                }
            }
            while (!there.isEmpty()) {
                long sum = weights().sum();
                Set<Integer> kept = new HashSet<>();
                content.forEach((snapshot, blocks) -> kept.addAll(there.contains(snapshot.id().text()) ? blocks : Set.of()));
                assertThat(sum).as("seed %s", seed).isGreaterThanOrEqualTo(kept.size());
                List<SnapshotRecord> left = content.keySet().stream().filter(snapshot -> there.contains(snapshot.id().text())).toList();
                gone(left.get(random.nextInt(left.size())));
                assertThat(weights().sum()).as("seed %s", seed).isLessThanOrEqualTo(sum);
            }
        }
    }

    private LayerWeights weights() {
        return new LayerWeights(Set.copyOf(there), id -> Optional.ofNullable(ledger.get(id)), _ -> 7);
    }

    private void gone(SnapshotRecord snapshot) {
        ledger.put(snapshot.id(), snapshot.deleted());
        there.remove(snapshot.id().text());
    }

    private SnapshotRecord taken(Optional<SnapshotRecord> parent, long own, long total) {
        SnapshotId id = SnapshotId.random();
        SnapshotRecord snapshot = new SnapshotRecord(
                id,
                1,
                Optional.empty(),
                SnapshotPurpose.KEPT,
                SnapshotState.READY,
                parent.map(SnapshotRecord::id),
                new SandboxId("sbx-000000000000"),
                "box",
                "container",
                "000000000000",
                List.of(id.text()),
                new SnapshotRecord.Bytes(own, total, total),
                Optional.empty(),
                1,
                0,
                "",
                Map.of(),
                Optional.empty(),
                BEGIN.plusSeconds(ledger.size()),
                Optional.empty(),
                List.of(),
                CommandDefaults.NONE);
        ledger.put(id, snapshot);
        there.add(id.text());
        return snapshot;
    }
}
