package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.EventFilter;
import dev.sandglass.engine.ledger.EventPage;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.KeyedCommand;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.OperationRecord;
import dev.sandglass.engine.ledger.Position;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotPosition;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.Deadline;
import dev.sandglass.engine.sandbox.Deadlines;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.Lifecycle;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.TraceStep;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to. */
abstract class LedgerContractTest {
    private static final EventFilter ALL = new EventFilter(Optional.empty(), Set.of());
    private static final Moment NOW = new Moment(Instant.ofEpochMilli(1_700_000_000_123L), "boot", Duration.ofHours(1));

    private static final Lifecycle LIFECYCLE = new Lifecycle(
            true, Optional.of(Duration.ofSeconds(60)), true, Optional.of(new Lifecycle.Checkpoints(Duration.ofSeconds(600), 3)), true);

    private static final SnapshotRecord.Memory MEMORY = new SnapshotRecord.Memory(
            1 << 20, "digest", Security.STRICT, Set.of(Capability.KILL), new Limits(1 << 30, 1.5, 1L << 40, 128), Map.of("engine", "runsc"));

    private Ledger ledger;

    /** Opens the ledger of this test; called again it sees what an earlier one wrote. */
    abstract Ledger open();

    @BeforeEach
    void openIt() {
        ledger = open();
    }

    @AfterEach
    void closeIt() {
        ledger.close();
    }

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
    void addsAnEventOfACommandOnceInALifeOfItsSandbox() {
        SandboxRecord created = record("sbx-aaaaaaaaaaaa", "calm-otter");
        ledger.insert(created);
        Moment now = new Moment(Instant.now(), "boot", Duration.ofHours(1));
        SandboxRecord running = created.running(new SandboxState.Running(new MachineProcess(17, 42, "boot")), now);
        Change ended = new Change("command.exited", Map.of("command", "cmd-7", "exit_code", "0"));
        for (int i = 0; i < 2; i++) {
            ledger.addOnce(running, ended, "cmd-7", Instant.now());
        }
        ledger.addOnce(running, new Change("command.exited", Map.of("command", "cmd-8")), "cmd-8", Instant.now());
        assertThat(ledger.events(0, new EventFilter(Optional.empty(), Set.of("command.exited")), 10).events())
                .extracting(event -> event.data().get("command"))
                .containsExactly("cmd-7", "cmd-8");
        assertThat(ledger.told(running, "command.exited")).containsExactlyInAnyOrder("cmd-7", "cmd-8");
        assertThat(ledger.told(running, "command.started")).isEmpty();
        assertThat(ledger.told(running, "sandbox.creating")).as("what is about no command").isEmpty();
        Moment later = new Moment(Instant.now().plusSeconds(1), "boot", Duration.ofHours(1));
        ledger.addOnce(running.running(new SandboxState.Running(new MachineProcess(18, 43, "boot")), later), ended, "cmd-7", later.at());
        assertThat(ledger.events(0, new EventFilter(Optional.empty(), Set.of("command.exited")), 10).events()).hasSize(3);
    }

    @Test
    void keepsOperationsAsTheyWereLast() {
        SandboxId made = SandboxId.random();
        ledger.keep(operation("op-00000000000a", null, Optional.empty()));
        ledger.keep(operation("op-00000000000b", null, Optional.empty()));
        ledger.keep(operation("op-00000000000a", null, Optional.of(made)));
        ledger.keep(operation("op-00000000000b", NOW.at(), Optional.empty()));
        ledger.close();
        ledger = open();
        assertThat(ledger.openOperations()).containsExactly(operation("op-00000000000a", null, Optional.of(made)));
        assertThat(ledger.operation("op-00000000000b")).contains(operation("op-00000000000b", NOW.at(), Optional.empty()));
        assertThat(ledger.operation("op-00000000000c")).isEmpty();
    }

    @Test
    void keepsTheNewestOfTheOperationsThatHaveEndedAndAllThatRun() {
        ledger.keep(operation("op-running", null, Optional.empty()));
        for (int i = 0; i < 1100; i++) {
            ledger.keep(operation("op-" + i, NOW.at(), Optional.empty()));
        }
        assertThat(ledger.operation("op-0")).isEmpty();
        assertThat(ledger.operation("op-1099")).isPresent();
        assertThat(ledger.operation("op-running")).isPresent();
    }

    private static OperationRecord operation(String id, @Nullable Instant endedAt, Optional<SandboxId> sandbox) {
        String state = endedAt == null ? "running" : "succeeded";
        return new OperationRecord(
                new OperationStatus(id, "create", state, 0.5, null, NOW.at(), endedAt, List.of(new TraceStep("tree", 1.5)), null, null), sandbox);
    }

    @Test
    void givesBackWhatWasWritten() {
        SandboxRecord record = record("sbx-aaaaaaaaaaaa", "calm-otter");
        ledger.insert(record);
        assertThat(ledger.find(record.id())).contains(record);
        assertThat(ledger.sandboxes()).containsExactly(record);
    }

    @Test
    void keepsEveryStateAcrossAReopen() {
        SnapshotRecord rest = snapshot("snap-aaaaaaaaaaaa", null).ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0);
        ledger.snapshots().insert(rest);
        List<SandboxState> states = List.of(
                new SandboxState.Running(new MachineProcess(17, 42, "boot")),
                new SandboxState.Stopping(),
                new SandboxState.Stopped("reboot"),
                new SandboxState.Starting(),
                new SandboxState.Failed("oom"),
                new SandboxState.Paused(Optional.empty(), false, Cause.TTL),
                new SandboxState.Paused(Optional.of(rest.id()), true, Optional.empty()),
                new SandboxState.Resuming(Optional.of(rest.id()), false),
                new SandboxState.Destroying(Cause.API));
        SandboxRecord record = record("sbx-aaaaaaaaaaaa", "calm-otter");
        ledger.insert(record);
        for (SandboxState state : states) {
            record = record.in(state);
            ledger.update(record);
            ledger.close();
            ledger = open();
            assertThat(ledger.find(record.id())).contains(record);
        }
    }

    @Test
    void refusesANameThatIsTakenAndFreesItWithTheSandbox() {
        SandboxRecord first = record("sbx-aaaaaaaaaaaa", "calm-otter");
        ledger.insert(first);
        fails(ErrorCode.NAME_TAKEN, () -> ledger.insert(record("sbx-bbbbbbbbbbbb", "calm-otter")));
        SandboxRecord other = record("sbx-cccccccccccc", "other-otter");
        ledger.insert(other);
        SandboxRecord renamed = other.revised("calm-otter", other.limits(), other.deadlines(), other.labels(), other.warnings());
        fails(ErrorCode.NAME_TAKEN, () -> ledger.update(renamed));
        ledger.update(first.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        ledger.insert(record("sbx-bbbbbbbbbbbb", "calm-otter"));
        assertThat(ledger.resolve("calm-otter").id().text()).isEqualTo("sbx-bbbbbbbbbbbb");
        assertThat(ledger.find(first.id())).as("destroyed ones stay in history").isPresent();
    }

    @Test
    void resolvesNamesIdsAndUniquePrefixes() {
        ledger.insert(record("sbx-abc111111111", "one"));
        ledger.insert(record("sbx-abc222222222", "two"));
        ledger.insert(record("sbx-xyz333333333", "abc1"));
        assertThat(ledger.resolve("two").name()).isEqualTo("two");
        assertThat(ledger.resolve("sbx-abc222222222").name()).isEqualTo("two");
        assertThat(ledger.resolve("sbx-abc2").name()).isEqualTo("two");
        assertThat(ledger.resolve("x").name()).isEqualTo("abc1");
        assertThat(ledger.resolve("abc1").name()).as("a name comes before a prefix").isEqualTo("abc1");
        fails(ErrorCode.AMBIGUOUS_PREFIX, () -> ledger.resolve("abc"));
        assertThat(ledger.resolve("on").name()).as("of a name").isEqualTo("one");
        assertThat(ledger.resolveWhole("two").name()).isEqualTo("two");
        assertThat(ledger.resolveWhole("sbx-abc2").name()).isEqualTo("two");
        fails(ErrorCode.SANDBOX_NOT_FOUND, () -> ledger.resolveWhole("on"));
        ledger.insert(record("sbx-one444444444", "onward"));
        fails(ErrorCode.AMBIGUOUS_PREFIX, () -> ledger.resolve("on"));
        assertThat(ledger.resolve("one").name()).as("a whole name comes first").isEqualTo("one");
        assertThat(ledger.resolve("onw").name()).isEqualTo("onward");
        fails(ErrorCode.SANDBOX_NOT_FOUND, () -> ledger.resolve("sbx-"));
        for (String hostile : List.of("", "nobody", "%", "_", "' OR 1=1 --", "../x", "\0")) {
            fails(ErrorCode.SANDBOX_NOT_FOUND, () -> ledger.resolve(hostile));
        }
        ledger.insert(record("sbx-999999999999", "sbx-555555555555-copy"));
        fails(ErrorCode.SANDBOX_NOT_FOUND, () -> ledger.resolve("sbx-555555555555"));
    }

    @Test
    void refusesAWriteThatMissedAnother() {
        SandboxRecord record = record("sbx-aaaaaaaaaaaa", "calm-otter");
        ledger.insert(record);
        ledger.update(record.in(new SandboxState.Failed("oom")));
        fails(ErrorCode.INTERNAL, () -> ledger.update(record.in(new SandboxState.Destroying(Cause.API))));
    }

    @Test
    void letsOneOfManyHaveAName() {
        AtomicInteger made = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 50; i++) {
                String id = "sbx-" + String.format("%012d", i);
                threads.submit(() -> {
                    ledger.insert(record(id, "wanted"));
                    made.incrementAndGet();
                });
            }
        }
        assertThat(made).hasValue(1);
    }

    @Test
    void goesThroughTheListInPagesWhateverComesAndGoes() {
        for (int i = 0; i < 7; i++) {
            ledger.insert(record(String.format("sbx-%012d", i), "name" + i)); // all made in the same millisecond
        }
        List<SandboxRecord> first = ledger.sandboxes(Optional.empty(), true, _ -> true, 3);
        assertThat(first).extracting(SandboxRecord::name).containsExactly("name0", "name1", "name2");
        ledger.update(first.get(2).in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        Optional<Position> after = Position.parse(Position.of(first.getLast()).text());
        assertThat(ledger.sandboxes(after, true, _ -> true, 3)).extracting(SandboxRecord::name).containsExactly("name3", "name4", "name5");
        assertThat(ledger.sandboxes(after, true, record -> record.name().equals("name6"), 3)).hasSize(1);
        assertThat(ledger.sandboxes(Optional.empty(), true, record -> record.state() instanceof SandboxState.Destroyed, 3)).hasSize(1);
        List<String> lookedAt = new ArrayList<>();
        assertThat(ledger.sandboxes(Optional.empty(), false, record -> lookedAt.add(record.name()), 7)).hasSize(6);
        assertThat(lookedAt).as("history is not even read").doesNotContain("name2").hasSize(6);
    }

    @Test
    void tellsOfEveryWrite() {
        SandboxRecord record = record("sbx-aaaaaaaaaaaa", "calm-otter");
        AtomicInteger told = new AtomicInteger();
        ledger.watch(told::incrementAndGet);
        ledger.insert(record);
        fails(ErrorCode.NAME_TAKEN, () -> ledger.insert(record("sbx-bbbbbbbbbbbb", "calm-otter")));
        SandboxState running = new SandboxState.Running(new MachineProcess(17, 42, "boot"));
        for (SandboxState state : List.of(running, running, new SandboxState.Failed("oom"), running, new SandboxState.Destroyed(Optional.of(Cause.HARD_TTL)))) {
            record = record.in(state);
            ledger.update(record);
        }
        ledger.close();
        ledger = open();
        EventPage page = ledger.events(0, ALL, 100);
        assertThat(page.events())
                .extracting(Event::type)
                .containsExactly(
                        "sandbox.creating", "sandbox.created", "sandbox.updated", "sandbox.failed", "sandbox.started", "sandbox.destroyed");
        assertThat(page.events()).extracting(Event::id).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(page.events().get(3).data()).containsEntry("reason", "oom");
        assertThat(page.events().get(5).data()).containsEntry("reason", "hard_ttl");
        assertThat(ledger.events(4, ALL, 1).events()).extracting(Event::id).containsExactly(5L);
        assertThat(told).hasValue(6);
    }

    @Test
    void keepsTheNewestEvents() {
        SandboxId id = new SandboxId("sbx-aaaaaaaaaaaa");
        for (int i = 0; i < 10_010; i++) {
            ledger.add(id, "calm-otter", new Change("test.made", Map.of()));
        }
        EventPage page = ledger.events(0, ALL, 1);
        assertThat(page.oldest()).isEqualTo(11);
        assertThat(page.newest()).isEqualTo(10_010);
        assertThat(page.events()).extracting(Event::id).containsExactly(11L);
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

    static void fails(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .asInstanceOf(type(SandglassException.class))
                .extracting(SandglassException::code)
                .isEqualTo(code);
    }

    @Test
    void aSnapshotIsFoundByItsNameIdAndPrefixWhenItIsWhole() {
        SnapshotRecord half = snapshot("snap-aaaaaaaaaaaa", "golden");
        ledger.snapshots().insert(half);
        refuses(ErrorCode.SNAPSHOT_NOT_FOUND, () -> ledger.snapshots().resolve("golden"));
        SnapshotRecord whole = half.ready(List.of("snap-aaaaaaaaaaaa", "snap-cccccccccccc"), new SnapshotRecord.Bytes(5, 9, 14), Optional.of(MEMORY), 1234);
        ledger.snapshots().update(whole);
        ledger.close();
        ledger = open();
        for (String ref : List.of("golden", "gold", "snap-aaaaaaaaaaaa", "snap-aaa", "aaaa")) {
            assertThat(ledger.snapshots().resolve(ref)).isEqualTo(whole);
        }
        refuses(ErrorCode.SNAPSHOT_NOT_FOUND, () -> ledger.snapshots().resolveWhole("gold"));
        ledger.snapshots().insert(snapshot("snap-aaaaaaaaaaab", null).ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0));
        refuses(ErrorCode.AMBIGUOUS_PREFIX, () -> ledger.snapshots().resolve("aaaa"));
        refuses(ErrorCode.SNAPSHOT_NOT_FOUND, () -> ledger.snapshots().resolve("%"));
        refuses(ErrorCode.INTERNAL, () -> ledger.snapshots().update(whole));
    }

    @Test
    void aNameOfASnapshotIsFreeWhenItIsDeleted() {
        SnapshotRecord first = snapshot("snap-aaaaaaaaaaaa", "golden");
        ledger.snapshots().insert(first);
        refuses(ErrorCode.NAME_TAKEN, () -> ledger.snapshots().insert(snapshot("snap-bbbbbbbbbbbb", "golden")));
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
        refuses(ErrorCode.SNAPSHOT_NOT_FOUND, () -> ledger.update(again.in(new SandboxState.Paused(Optional.of(whole.id()), true, Cause.REWIND))));
        assertThat(ledger.find(again.id())).contains(again);
    }

    @Test
    void layersAreInUseAsLongAsSomethingStandsOnThem() {
        SnapshotRecord half = snapshot("snap-aaaaaaaaaaaa", null);
        ledger.snapshots().insert(half);
        SnapshotRecord whole = half.ready(List.of("snap-aaaaaaaaaaaa", "snap-cccccccccccc"), SnapshotRecord.Bytes.UNKNOWN, Optional.of(MEMORY), 0);
        ledger.snapshots().update(whole);
        SandboxRecord sandbox = on(record("sbx-aaaaaaaaaaaa", "one"), new Lineage(Optional.of(whole.id()), whole.layers(), 8, Optional.of(new SnapshotId("snap-dddddddddddd")), 17));
        ledger.insert(sandbox);
        assertThat(ledger.find(sandbox.id())).contains(sandbox);
        assertThat(ledger.snapshots().imagesInUse()).containsExactly("base");
        assertThat(ledger.snapshots().agentsInUse()).containsExactly("digest");
        ledger.snapshots().update(whole.deleted());
        assertThat(ledger.snapshots().layersInUse()).containsExactlyInAnyOrder("snap-aaaaaaaaaaaa", "snap-cccccccccccc");
        SandboxRecord late = on(record("sbx-bbbbbbbbbbbb", "late"), sandbox.lineage());
        refuses(ErrorCode.SNAPSHOT_NOT_FOUND, () -> ledger.insert(late));
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

    private static SnapshotRecord passing(String id, SnapshotRecord parent) {
        SnapshotRecord one = snapshot(id, null);
        return new SnapshotRecord(
                one.id(), one.version(), one.name(), SnapshotPurpose.CHECKPOINT, one.state(), Optional.of(parent.id()), one.sandbox(), one.sandboxName(), one.runtime(),
                one.image(), one.layers(), one.bytes(), one.memory(), one.generation(), one.pauseMicros(), one.description(), one.labels(), one.expiry(), one.createdAt());
    }

    @Test
    void whatIsNotConfirmedIsKnown() {
        SandboxRecord alone = record("sbx-aaaaaaaaaaaa", "one");
        SandboxRecord together = record("sbx-bbbbbbbbbbbb", "two");
        ledger.insert(alone);
        ledger.insertTentatively(together);
        assertThat(ledger.unconfirmed()).containsExactly(together.id());
        refuses(ErrorCode.NAME_TAKEN, () -> ledger.insertTentatively(record("sbx-cccccccccccc", "two")));
        ledger.confirm(List.of(together.id(), alone.id()));
        assertThat(ledger.unconfirmed()).isEmpty();
        assertThat(ledger.sandboxes()).containsExactlyInAnyOrder(alone, together);
    }

    @Test
    void whatIsDestroyedNeedsNotBeConfirmed() {
        SandboxRecord gone = record("sbx-aaaaaaaaaaaa", "one");
        SandboxRecord other = record("sbx-bbbbbbbbbbbb", "two");
        ledger.insertTentatively(gone);
        ledger.insertTentatively(other);
        SandboxRecord going = gone.in(new SandboxState.Destroying(Cause.API));
        ledger.update(going);
        assertThat(ledger.unconfirmed()).as("a daemon that dies now is followed by one that ends it").containsExactlyInAnyOrder(gone.id(), other.id());
        ledger.update(going.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        assertThat(ledger.unconfirmed()).containsExactly(other.id());
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

    private static void refuses(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call).asInstanceOf(type(SandglassException.class)).extracting(SandglassException::code).isEqualTo(code);
    }

    private static SnapshotRecord snapshot(String id, @Nullable String name) {
        return new SnapshotRecord(
                new SnapshotId(id),
                1,
                Optional.ofNullable(name),
                SnapshotPurpose.KEPT,
                SnapshotState.CREATING,
                Optional.of(new SnapshotId("snap-cccccccccccc")),
                new SandboxId("sbx-aaaaaaaaaaaa"),
                "otter",
                "gvisor",
                "base",
                List.of(id),
                SnapshotRecord.Bytes.UNKNOWN,
                Optional.empty(),
                7,
                0,
                "what it is for",
                Map.of("team", "blue"),
                Optional.of(deadline(3600)),
                Instant.ofEpochMilli(1_700_000_000_123L));
    }

    private static SnapshotRecord at(SnapshotRecord one, Instant createdAt) {
        return new SnapshotRecord(
                one.id(), one.version(), one.name(), one.purpose(), one.state(), one.parent(), one.sandbox(), one.sandboxName(), one.runtime(), one.image(), one.layers(),
                one.bytes(), one.memory(), one.generation(), one.pauseMicros(), one.description(), one.labels(), one.expiry(), createdAt);
    }

    private static SandboxRecord on(SandboxRecord one, Lineage lineage) {
        return new SandboxRecord(
                one.id(), one.version(), one.name(), one.state(), one.runtime(), one.security(), one.capabilities(), one.limits(), one.deadlines(), one.env(),
                one.labels(), one.image(), one.agent(), one.warnings(), one.createdAt(), one.startedAt(), lineage);
    }

    private static Deadline deadline(long seconds) {
        return Deadline.after(Duration.ofSeconds(seconds), NOW);
    }

    static SandboxRecord record(String id, String name) {
        return new SandboxRecord(
                new SandboxId(id),
                1,
                name,
                new SandboxState.Creating(),
                "gvisor",
                Security.STANDARD,
                Set.of(Capability.CHOWN, Capability.NET_RAW),
                new Limits(1 << 30, 1.5, 1L << 40, 128),
                new Deadlines(Optional.of(deadline(60)), Optional.of(deadline(3600)), LIFECYCLE, Optional.of(NOW), Optional.of(NOW)),
                Map.of("KEY", "value with \"quotes\" and \n lines"),
                Map.of("team", "blue"),
                "base",
                "digest",
                List.of("a warning"),
                Instant.ofEpochMilli(1_700_000_000_123L),
                Optional.empty(),
                Lineage.OF_AN_IMAGE);
    }
}
