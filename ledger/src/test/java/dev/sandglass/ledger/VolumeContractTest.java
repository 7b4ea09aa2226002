package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.ledger.VolumeLedger;
import dev.sandglass.engine.ledger.VolumePosition;
import dev.sandglass.engine.ledger.VolumeRecord;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.engine.sandbox.VolumeMode;
import dev.sandglass.engine.sandbox.VolumeState;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.ErrorCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of volumes and of who has them. */
abstract class VolumeContractTest extends LedgerFixture {
    private static final SandboxState.Running RUNNING = new SandboxState.Running(new MachineProcess(4711, 42, "boot"));

    private final SandboxRecord one = record("sbx-aaaaaaaaaaaa", "one");
    private final SandboxRecord two = record("sbx-bbbbbbbbbbbb", "two");

    private static VolumeRecord volume(String letter, VolumeState state, long millis) {
        return new VolumeRecord(
                new VolumeId("vol-" + letter.repeat(12)), "named-" + letter, state, false, 1 << 20, Optional.of(new VolumeId("vol-zzzzzzzzzzzz")), Map.of("team", "red"), Instant.ofEpochMilli(millis));
    }

    private VolumeRecord made(String letter, long millis) {
        VolumeRecord volume = volume(letter, VolumeState.CREATING, millis);
        ledger.volumes().insert(volume);
        ledger.volumes().ready(volume.id());
        return volume(letter, VolumeState.READY, millis);
    }

    private static VolumeUse use(VolumeRecord volume, int slot, VolumeMode mode) {
        return new VolumeUse(volume.id(), volume.name(), slot, "/place-" + slot, mode);
    }

    @Test
    void theyAreThereForTheNextDaemonToTheLetter() {
        VolumeRecord a = made("a", 1);
        VolumeRecord b = made("b", 2);
        ledger.volumes().insert(volume("c", VolumeState.CREATING, 3));
        ledger.insert(one.with(List.of(use(a, 1, VolumeMode.RW), use(b, 3, VolumeMode.RO))));
        ledger.close();
        ledger = open();
        assertThat(ledger.volumes().list(Optional.empty(), _ -> true, 10)).containsExactly(a, b);
        assertThat(ledger.volumes().resolve("named-a")).isEqualTo(a);
        assertThat(ledger.volumes().resolve("vol-bbb")).isEqualTo(b);
        assertThat(ledger.volumes().unfinished()).containsExactly(volume("c", VolumeState.CREATING, 3));
        assertThat(ledger.find(one.id()).orElseThrow().volumes()).containsExactly(use(a, 1, VolumeMode.RW), use(b, 3, VolumeMode.RO));
        assertThat(ledger.volumes().users(b.id())).containsExactly(new VolumeLedger.User(one.id(), "one", use(b, 3, VolumeMode.RO)));
        assertThat(ledger.volumes().users()).containsOnlyKeys(a.id(), b.id());
    }

    @Test
    void whatIsNotThereAndWhatIsThereAlreadyIsSaid() {
        VolumeRecord a = made("a", 1);
        fails(ErrorCode.NAME_TAKEN, () -> ledger.volumes().insert(new VolumeRecord(
                new VolumeId("vol-bbbbbbbbbbbb"), a.name(), VolumeState.CREATING, false, 1, Optional.empty(), Map.of(), Instant.EPOCH)));
        fails(ErrorCode.VOLUME_NOT_FOUND, () -> ledger.volumes().resolve("nothing"));
        fails(ErrorCode.VOLUME_NOT_FOUND, () -> ledger.volumes().resolveWhole("named"));
        made("b", 2);
        fails(ErrorCode.AMBIGUOUS_PREFIX, () -> ledger.volumes().resolve("named"));
        fails(ErrorCode.VOLUME_NOT_FOUND, () -> ledger.insert(one.with(List.of(use(volume("x", VolumeState.READY, 1), 1, VolumeMode.RO)))));
        assertThat(ledger.find(one.id())).isEmpty();
    }

    @Test
    void pagesAreWhole() {
        List<VolumeRecord> all = List.of(made("a", 5), made("c", 7), made("b", 7), made("d", 9));
        List<VolumeRecord> first = ledger.volumes().list(Optional.empty(), _ -> true, 2);
        Optional<VolumePosition> after = VolumePosition.parse(VolumePosition.of(first.getLast()).text());
        assertThat(first).extracting(VolumeRecord::name).containsExactly("named-a", "named-b");
        assertThat(ledger.volumes().list(after, _ -> true, 9)).extracting(VolumeRecord::name).containsExactly("named-c", "named-d");
        assertThat(ledger.volumes().list(Optional.empty(), volume -> volume.equals(all.getLast()), 9)).hasSize(1);
    }

    @Test
    void oneWritesOrAllWhoDoSaySo() {
        VolumeRecord a = made("a", 1);
        ledger.insert(one.with(List.of(use(a, 1, VolumeMode.RW))));
        fails(ErrorCode.CONFLICT, () -> ledger.insert(two.with(List.of(use(a, 1, VolumeMode.RW)))));
        fails(ErrorCode.CONFLICT, () -> ledger.insert(two.with(List.of(use(a, 1, VolumeMode.SHARED)))));
        ledger.insert(two.with(List.of(use(a, 2, VolumeMode.RO))));
        SandboxRecord reader = ledger.find(two.id()).orElseThrow();
        fails(ErrorCode.CONFLICT, () -> ledger.update(reader.mounting(List.of(use(a, 2, VolumeMode.SHARED)))));
        SandboxRecord without = ledger.find(one.id()).orElseThrow().mounting(List.of());
        ledger.update(without);
        ledger.update(reader.mounting(List.of(use(a, 2, VolumeMode.SHARED))));
        ledger.update(without.mounting(List.of(use(a, 4, VolumeMode.SHARED))));
        assertThat(ledger.volumes().users(a.id())).hasSize(2);
    }

    @Test
    void whatSandboxesHaveIsNotDeleted() {
        VolumeRecord a = made("a", 1);
        ledger.insert(one.with(List.of(use(a, 1, VolumeMode.RW))));
        assertThat(ledger.volumes().delete(a.id())).extracting(VolumeLedger.User::name).containsExactly("one");
        assertThat(ledger.volumes().find(a.id()).orElseThrow().state()).isEqualTo(VolumeState.READY);
        SandboxRecord going = one.with(List.of(use(a, 1, VolumeMode.RW))).in(new SandboxState.Destroying(Cause.API));
        ledger.update(going);
        ledger.update(going.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        assertThat(ledger.volumes().delete(a.id())).isEmpty();
        fails(ErrorCode.VOLUME_NOT_FOUND, () -> ledger.insert(two.with(List.of(use(a, 1, VolumeMode.RO)))));
        assertThat(ledger.volumes().unfinished()).extracting(VolumeRecord::state).containsExactly(VolumeState.DELETING);
        ledger.volumes().forget(a.id());
        assertThat(ledger.volumes().unfinished()).isEmpty();
        made("a", 2);
        ledger.volumes().forget(a.id());
        assertThat(ledger.volumes().find(a.id())).as("what is whole is not forgotten").isPresent();
    }

    @Test
    void copiesStayWithTheSandboxForWhichTheyWereMade() {
        VolumeRecord copy = volume("a", VolumeState.CREATING, 1);
        ledger.volumes().insert(copy);
        SandboxRecord box = one.with(List.of(use(copy, 1, VolumeMode.RW)));
        ledger.insert(box);
        assertThat(ledger.volumes().find(copy.id()).orElseThrow().state()).isEqualTo(VolumeState.CREATING);
        ledger.update(box.running(RUNNING, NOW));
        assertThat(ledger.volumes().find(copy.id()).orElseThrow().state()).isEqualTo(VolumeState.READY);

        VolumeRecord other = volume("b", VolumeState.CREATING, 2);
        ledger.volumes().insert(other);
        SandboxRecord tentative = two.with(List.of(use(other, 1, VolumeMode.RW)));
        ledger.insertTentatively(tentative);
        SandboxRecord running = tentative.running(RUNNING, NOW);
        ledger.update(running);
        assertThat(ledger.volumes().find(other.id()).orElseThrow().state()).as("others may not come").isEqualTo(VolumeState.CREATING);
        ledger.confirm(List.of(two.id()));
        assertThat(ledger.volumes().find(other.id()).orElseThrow().state()).isEqualTo(VolumeState.READY);
        assertThat(running.id()).isEqualTo(two.id());
    }

    @Test
    void copiesGoWithTheSandboxThatDidNotComeToBe() {
        VolumeRecord copy = volume("a", VolumeState.CREATING, 1);
        VolumeRecord kept = made("b", 2);
        ledger.volumes().insert(copy);
        SandboxRecord box = one.with(List.of(use(copy, 1, VolumeMode.RW), use(kept, 2, VolumeMode.RW)));
        ledger.insert(box);
        SandboxRecord going = box.in(new SandboxState.Destroying(Cause.DISCARDED));
        ledger.update(going);
        ledger.update(going.in(new SandboxState.Destroyed(Optional.of(Cause.DISCARDED))));
        assertThat(ledger.volumes().find(copy.id()).orElseThrow().state()).isEqualTo(VolumeState.DELETING);
        assertThat(ledger.volumes().find(kept.id()).orElseThrow().state()).isEqualTo(VolumeState.READY);
        assertThat(ledger.volumes().users()).isEmpty();
    }

    @Test
    void aSnapshotRemembersThem() {
        VolumeRecord a = made("a", 1);
        SnapshotRecord plain = snapshot("snap-aaaaaaaaaaaa", null);
        SnapshotRecord with = new SnapshotRecord(
                plain.id(), plain.version(), plain.name(), plain.purpose(), plain.state(), plain.parent(), plain.sandbox(), plain.sandboxName(), plain.runtime(), plain.image(), plain.layers(),
                plain.bytes(), plain.memory(), plain.generation(), plain.pauseMicros(), plain.description(), plain.labels(), plain.expiry(), plain.createdAt(), plain.network(),
                List.of(use(a, 2, VolumeMode.SHARED)), plain.commandDefaults());
        ledger.snapshots().insert(with);
        assertThat(ledger.snapshots().find(new SnapshotId("snap-aaaaaaaaaaaa")).orElseThrow().volumes()).containsExactly(use(a, 2, VolumeMode.SHARED));
    }
}
