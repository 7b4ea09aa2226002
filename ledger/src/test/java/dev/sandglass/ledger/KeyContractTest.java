package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.KeyedCommand;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.ErrorCode;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of requests that come with a key: what they made is known, and made once. */
abstract class KeyContractTest extends LedgerFixture {
    @Test
    void knowsTheCommandOfAKey() {
        SandboxId sandbox = SandboxId.random();
        IdempotencyKey key = IdempotencyKey.of("key", "request");
        assertThat(ledger.command(sandbox, key)).isEmpty();
        ledger.keep(sandbox, key, new KeyedCommand(NOW.at(), 7, false));
        assertThat(ledger.command(sandbox, key)).contains(new KeyedCommand(NOW.at(), 7, false));
        IdempotencyKey other = IdempotencyKey.of("key", "other");
        assertThat(ledger.command(sandbox, other)).as("what has not started holds no key").isEmpty();
        ledger.keep(sandbox, key, new KeyedCommand(NOW.at(), 7, true));
        ledger.close();
        ledger = open();
        assertThat(ledger.command(sandbox, key)).contains(new KeyedCommand(NOW.at(), 7, true));
        fails(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> ledger.command(sandbox, other));
        assertThat(ledger.command(SandboxId.random(), other)).as("another sandbox's").isEmpty();
        ledger.keep(sandbox, IdempotencyKey.of("later", "request"), new KeyedCommand(NOW.at(), 12, false));
        assertThat(ledger.highestCommand(sandbox, NOW.at())).as("whether it has started or not").isEqualTo(12);
        assertThat(ledger.highestCommand(sandbox, NOW.at().plusSeconds(1))).as("in another life").isZero();
        assertThat(ledger.highestCommand(SandboxId.random(), NOW.at())).as("in another sandbox").isZero();
    }

    @Test
    void keysOfOneSandboxPushOutNoneOfAnother() {
        SandboxId quiet = SandboxId.random();
        SandboxId busy = SandboxId.random();
        IdempotencyKey only = IdempotencyKey.of("only", "request");
        ledger.keep(quiet, only, new KeyedCommand(NOW.at(), 1, true));
        int many = 1_100;
        for (int i = 1; i <= many; i++) {
            ledger.keep(busy, IdempotencyKey.of("key" + i, "request"), new KeyedCommand(NOW.at(), i, true));
        }
        long kept = IntStream.rangeClosed(1, many)
                .filter(i -> ledger.command(busy, IdempotencyKey.of("key" + i, "request")).isPresent())
                .count();
        assertThat(kept).as("those of the same millisecond go together").isBetween(1_000L, 1_020L);
        assertThat(ledger.highestCommand(busy, NOW.at())).isEqualTo(many);
        assertThat(ledger.command(quiet, only)).isPresent();
    }

    @Test
    void addsASandboxOnceForAKey() {
        IdempotencyKey key = IdempotencyKey.of("key", "request");
        SandboxRecord cutOff = record("sbx-aaaaaaaaaaaa", "one");
        assertThat(ledger.insertOnce(cutOff, key)).isEmpty();
        assertThat(ledger.insertOnce(record("sbx-bbbbbbbbbbbb", "two"), key)).contains(cutOff);
        ledger.update(cutOff.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        SandboxRecord second = record("sbx-cccccccccccc", "three");
        assertThat(ledger.insertOnce(second, key)).as("what never ran does not count").isEmpty();
        fails(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> ledger.insertOnce(record("sbx-dddddddddddd", "four"), IdempotencyKey.of("key", "other")));
        SandboxRecord running = second.running(new SandboxState.Running(new MachineProcess(17, 42, "boot")), NOW);
        ledger.update(running);
        ledger.update(running.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        assertThat(ledger.insertOnce(record("sbx-dddddddddddd", "four"), key)).map(SandboxRecord::id).contains(second.id());
        assertThat(ledger.sandboxes()).isEmpty();
    }

    @Test
    void knowsTheSnapshotOfAKeyUntilItIsWithdrawn() {
        IdempotencyKey key = IdempotencyKey.of("key", "request");
        IdempotencyKey other = IdempotencyKey.of("key", "other");
        SnapshotRecord half = snapshot("snap-aaaaaaaaaaaa", null);
        ledger.snapshots().insert(half);
        assertThat(ledger.snapshots().madeBy(key)).isEmpty();
        SnapshotRecord whole = half.ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0);
        ledger.snapshots().update(whole, key);
        ledger.close();
        ledger = open();
        assertThat(ledger.snapshots().madeBy(key)).contains(whole);
        fails(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> ledger.snapshots().madeBy(other));
        fails(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> ledger.insertOnce(record("sbx-aaaaaaaaaaaa", "one"), other));
        SnapshotRecord second = snapshot("snap-bbbbbbbbbbbb", null);
        ledger.snapshots().insert(second);
        fails(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> ledger.snapshots().update(second.ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0), other));
        assertThat(ledger.snapshots().find(second.id())).as("both or none").contains(second);
        ledger.snapshots().delete(whole.id());
        assertThat(ledger.snapshots().madeBy(key)).contains(whole.deleted());
        ledger.snapshots().withdraw(whole.id());
        assertThat(ledger.snapshots().madeBy(other)).as("free").isEmpty();
    }

    @Test
    void knowsTheSnapshotOfAKeyForWhichNothingWasMade() {
        IdempotencyKey key = IdempotencyKey.of("key", "request");
        SandboxRecord sandbox = record("sbx-aaaaaaaaaaaa", "one");
        ledger.insert(sandbox);
        SnapshotRecord whole = snapshot("snap-aaaaaaaaaaaa", "golden").ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0);
        SandboxRecord next = sandbox.at(whole.id());
        ledger.insert(whole, next, Optional.of(key));
        assertThat(ledger.snapshots().madeBy(key)).contains(whole);
        SnapshotRecord second = snapshot("snap-bbbbbbbbbbbb", "golden");
        fails(ErrorCode.NAME_TAKEN, () -> ledger.insert(second, next.at(second.id()), Optional.of(IdempotencyKey.of("later", "request"))));
        assertThat(ledger.snapshots().madeBy(IdempotencyKey.of("later", "other"))).as("all or none").isEmpty();
        assertThat(ledger.find(sandbox.id())).contains(next);
    }

    @Test
    void knowsTheCopiesOfAKeyOnceTheyAreConfirmed() {
        IdempotencyKey key = IdempotencyKey.of("key", "request");
        List<SandboxRecord> copies = List.of(record("sbx-bbbbbbbbbbbb", "two"), record("sbx-aaaaaaaaaaaa", "one"));
        copies.forEach(ledger::insertTentatively);
        assertThat(ledger.madeBy(key)).isEmpty();
        ledger.confirm(copies.stream().map(SandboxRecord::id).toList(), key);
        ledger.close();
        ledger = open();
        assertThat(ledger.madeBy(key)).as("in their order").isEqualTo(copies);
        assertThat(ledger.unconfirmed()).isEmpty();
        SandboxRecord late = record("sbx-cccccccccccc", "three");
        ledger.insertTentatively(late);
        fails(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> ledger.confirm(List.of(late.id()), IdempotencyKey.of("key", "other")));
        assertThat(ledger.unconfirmed()).as("both or none").containsExactly(late.id());
    }
}
