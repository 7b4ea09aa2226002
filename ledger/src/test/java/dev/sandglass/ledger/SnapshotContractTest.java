package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotPosition;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.Activity;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.wire.ErrorCode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of snapshots. */
abstract class SnapshotContractTest extends LedgerFixture {
    @Test
    void aSnapshotIsFoundByItsNameIdAndPrefixWhenItIsWhole() {
        SnapshotRecord half = snapshot("snap-aaaaaaaaaaaa", "golden");
        ledger.snapshots().insert(half);
        fails(ErrorCode.SNAPSHOT_NOT_FOUND, () -> ledger.snapshots().resolve("golden"));
        SnapshotRecord whole = half.ready(List.of("snap-aaaaaaaaaaaa", "snap-cccccccccccc"), new SnapshotRecord.Bytes(5, 9, 14), Optional.of(MEMORY), 1234);
        ledger.snapshots().update(whole);
        ledger.close();
        ledger = open();
        for (String ref : List.of("golden", "gold", "snap-aaaaaaaaaaaa", "snap-aaa", "aaaa")) {
            assertThat(ledger.snapshots().resolve(ref)).isEqualTo(whole);
        }
        fails(ErrorCode.SNAPSHOT_NOT_FOUND, () -> ledger.snapshots().resolveWhole("gold"));
        ledger.snapshots().insert(snapshot("snap-aaaaaaaaaaab", null).ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0));
        fails(ErrorCode.AMBIGUOUS_PREFIX, () -> ledger.snapshots().resolve("aaaa"));
        fails(ErrorCode.SNAPSHOT_NOT_FOUND, () -> ledger.snapshots().resolve("%"));
        fails(ErrorCode.INTERNAL, () -> ledger.snapshots().update(whole));
    }

    @Test
    void aNameOfASnapshotIsFreeWhenItIsDeleted() {
        SnapshotRecord first = snapshot("snap-aaaaaaaaaaaa", "golden");
        ledger.snapshots().insert(first);
        fails(ErrorCode.NAME_TAKEN, () -> ledger.snapshots().insert(snapshot("snap-bbbbbbbbbbbb", "golden")));
        ledger.snapshots().update(first.deleted());
        ledger.snapshots().insert(snapshot("snap-bbbbbbbbbbbb", "golden"));
        assertThat(ledger.snapshots().list(Optional.empty(), 10, true)).extracting(found -> found.id().text()).containsExactly("snap-bbbbbbbbbbbb");
    }

    @Test
    void aSnapshotAtWhichASandboxRestsStaysAndOneThatIsGoneIsNoPlaceToRest() {
        SnapshotRecord whole = snapshot("snap-aaaaaaaaaaaa", null).ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0);
        ledger.snapshots().insert(whole);
        SandboxRecord running = record("sbx-aaaaaaaaaaaa", "calm-otter");
        ledger.insert(running);
        SandboxRecord paused = running.in(new SandboxState.Paused(Optional.of(whole.id()), true, Cause.REWIND));
        ledger.update(paused);
        assertThat(ledger.snapshots().delete(whole.id())).contains("calm-otter");
        SandboxRecord resuming = paused.in(new SandboxState.Resuming(Optional.of(whole.id()), true));
        ledger.update(resuming);
        assertThat(ledger.snapshots().delete(whole.id())).contains("calm-otter");
        assertThat(ledger.snapshots().find(whole.id())).contains(whole);
        SandboxRecord again = resuming.in(new SandboxState.Running(new MachineProcess(17, 42, "boot")));
        ledger.update(again);
        for (int i = 0; i < 2; i++) {
            assertThat(ledger.snapshots().delete(whole.id())).isEmpty();
        }
        assertThat(ledger.snapshots().delete(SnapshotId.random())).isEmpty();
        assertThat(ledger.snapshots().find(whole.id())).contains(whole.deleted());
        fails(ErrorCode.SNAPSHOT_NOT_FOUND, () -> ledger.update(again.in(new SandboxState.Paused(Optional.of(whole.id()), true, Cause.REWIND))));
        assertThat(ledger.find(again.id())).contains(again);
    }

    @Test
    void layersAreInUseAsLongAsSomethingStandsOnThem() {
        SnapshotRecord half = snapshot("snap-aaaaaaaaaaaa", null);
        ledger.snapshots().insert(half);
        SnapshotRecord whole = half.ready(List.of("snap-aaaaaaaaaaaa", "snap-cccccccccccc"), SnapshotRecord.Bytes.UNKNOWN, Optional.of(MEMORY), 0);
        ledger.snapshots().update(whole);
        SandboxRecord sandbox = on(record("sbx-aaaaaaaaaaaa", "one"), new Lineage(Optional.of(whole.id()), whole.layers(), 8, Optional.of(new SnapshotId("snap-dddddddddddd")), Activity.STOPPED, 17));
        ledger.insert(sandbox);
        assertThat(ledger.find(sandbox.id())).contains(sandbox);
        assertThat(ledger.highestGeneration()).isEqualTo(8);
        assertThat(ledger.snapshots().imagesInUse()).containsExactly("base");
        assertThat(ledger.snapshots().agentsInUse()).containsExactly("digest");
        ledger.snapshots().update(whole.deleted());
        assertThat(ledger.snapshots().layersInUse()).containsExactlyInAnyOrder("snap-aaaaaaaaaaaa", "snap-cccccccccccc");
        SandboxRecord late = on(record("sbx-bbbbbbbbbbbb", "late"), sandbox.lineage());
        fails(ErrorCode.SNAPSHOT_NOT_FOUND, () -> ledger.insert(late));
        ledger.update(sandbox.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        assertThat(ledger.snapshots().layersInUse()).isEmpty();
        assertThat(ledger.snapshots().imagesInUse()).isEmpty();
    }

    @Test
    void whatNobodyAskedForIsForgottenWhenItIsDeletedAndItsChildrenGrewFromWhatItGrewFrom() {
        SnapshotRecord kept = snapshot("snap-cccccccccccc", null);
        SnapshotRecord first = passing("snap-dddddddddddd", kept);
        SnapshotRecord second = passing("snap-eeeeeeeeeeee", first);
        SnapshotRecord third = passing("snap-ffffffffffff", second);
        List.of(kept, first, second, third).forEach(each -> {
            ledger.snapshots().insert(each);
            ledger.snapshots().update(each.ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0));
        });
        SandboxRecord at = on(record("sbx-aaaaaaaaaaaa", "one"), Lineage.copy(Optional.of(second.id()), List.of(), 2));
        ledger.insert(at);
        ledger.snapshots().delete(first.id());
        ledger.snapshots().delete(second.id());
        assertThat(ledger.snapshots().find(first.id())).isEmpty();
        assertThat(ledger.snapshots().find(second.id())).as("a sandbox is there").get().extracting(SnapshotRecord::parent).isEqualTo(Optional.of(kept.id()));
        ledger.update(at.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        ledger.snapshots().delete(kept.id());
        assertThat(ledger.snapshots().find(second.id())).isEmpty();
        assertThat(ledger.snapshots().find(third.id())).get().extracting(SnapshotRecord::parent).isEqualTo(Optional.of(kept.id()));
        assertThat(ledger.snapshots().find(kept.id())).as("somebody had asked for it").isPresent();
    }

    @Test
    void whatAnotherSandboxGrewFromIsRememberedAsLongAsSomethingOfThatIsThere() {
        SnapshotRecord moment = passing("snap-dddddddddddd", snapshot("snap-cccccccccccc", null));
        SnapshotRecord ofCopy = of(passing("snap-eeeeeeeeeeee", moment), "sbx-cccccccccccc");
        SnapshotRecord later = of(passing("snap-ffffffffffff", ofCopy), "sbx-cccccccccccc");
        List.of(moment, ofCopy, later).forEach(each -> {
            ledger.snapshots().insert(each);
            ledger.snapshots().update(each.ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0));
        });
        ledger.snapshots().delete(moment.id());
        ledger.snapshots().delete(ofCopy.id());
        assertThat(ledger.snapshots().find(ofCopy.id())).isEmpty();
        assertThat(ledger.snapshots().find(moment.id())).as("where the copy branched off").isPresent();
        assertThat(ledger.snapshots().find(later.id())).get().extracting(SnapshotRecord::parent).isEqualTo(Optional.of(moment.id()));
        ledger.snapshots().delete(later.id());
        assertThat(ledger.snapshots().find(moment.id())).as("nothing grew from it any more").isEmpty();
    }

    private static SnapshotRecord of(SnapshotRecord one, String sandbox) {
        return new SnapshotRecord(
                one.id(), one.version(), one.name(), one.purpose(), one.state(), one.parent(), new SandboxId(sandbox), one.sandboxName(), one.runtime(),
                one.image(), one.layers(), one.bytes(), one.memory(), one.generation(), one.pauseMicros(), one.description(), one.labels(), one.expiry(), one.createdAt(), one.network(), one.volumes(), one.commandDefaults());
    }

    private static SnapshotRecord passing(String id, SnapshotRecord parent) {
        SnapshotRecord one = snapshot(id, null);
        return new SnapshotRecord(
                one.id(), one.version(), one.name(), SnapshotPurpose.CHECKPOINT, one.state(), Optional.of(parent.id()), one.sandbox(), one.sandboxName(), one.runtime(),
                one.image(), one.layers(), one.bytes(), one.memory(), one.generation(), one.pauseMicros(), one.description(), one.labels(), one.expiry(), one.createdAt(), one.network(), one.volumes(), one.commandDefaults());
    }

    @Test
    void snapshotsComePageByPage() {
        List<String> ids = IntStream.range(0, 5).mapToObj(i -> "snap-00000000000" + (9 - i)).toList();
        for (int i = 0; i < ids.size(); i++) {
            SnapshotRecord each = snapshot(ids.get(i), null);
            ledger.snapshots().insert(at(each, Instant.ofEpochMilli(1000 + i / 2)));
        }
        List<SnapshotRecord> all = ledger.snapshots().list(Optional.empty(), 10, true);
        List<SnapshotRecord> first = ledger.snapshots().list(Optional.empty(), 3, true);
        Optional<SnapshotPosition> after = SnapshotPosition.parse(SnapshotPosition.of(first.getLast()).text());
        List<SnapshotRecord> rest = ledger.snapshots().list(after, 3, true);
        assertThat(Stream.concat(first.stream(), rest.stream()).toList()).isEqualTo(all).hasSize(5);
        SnapshotId unknown = new SnapshotId(first.getLast().id().text().replace("snap-0", "snap-a"));
        Optional<SnapshotPosition> gone = Optional.of(new SnapshotPosition(first.getLast().createdAt(), unknown));
        assertThat(ledger.snapshots().list(gone, 3, true)).as("behind one that is forgotten").isSubsetOf(rest).isNotEmpty();
    }

    private static SnapshotRecord at(SnapshotRecord one, Instant createdAt) {
        return new SnapshotRecord(
                one.id(), one.version(), one.name(), one.purpose(), one.state(), one.parent(), one.sandbox(), one.sandboxName(), one.runtime(), one.image(), one.layers(),
                one.bytes(), one.memory(), one.generation(), one.pauseMicros(), one.description(), one.labels(), one.expiry(), createdAt, one.network(), one.volumes(), one.commandDefaults());
    }

    private static SandboxRecord on(SandboxRecord one, Lineage lineage) {
        return new SandboxRecord(
                one.id(), one.version(), one.name(), one.state(), one.runtime(), one.security(), one.capabilities(), one.limits(), one.deadlines(), one.env(),
                one.labels(), one.image(), one.agent(), one.warnings(), one.createdAt(), one.startedAt(), lineage, one.network(), one.credentials(), one.volumes(), one.commandDefaults());
    }
}
