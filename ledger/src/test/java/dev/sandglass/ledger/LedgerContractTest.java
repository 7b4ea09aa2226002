package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.EventFilter;
import dev.sandglass.engine.ledger.EventPage;
import dev.sandglass.engine.ledger.OperationRecord;
import dev.sandglass.engine.ledger.Position;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.OperationStatus;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to. */
abstract class LedgerContractTest extends LedgerFixture {
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
                new OperationStatus(id, "create", state, 0.5, null, NOW.at(), endedAt, List.of(new TraceStep("tree", 1.5)), null, null, null), sandbox);
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
    void whatIsNotConfirmedIsKnown() {
        SandboxRecord alone = record("sbx-aaaaaaaaaaaa", "one");
        SandboxRecord together = record("sbx-bbbbbbbbbbbb", "two");
        ledger.insert(alone);
        ledger.insertTentatively(together);
        assertThat(ledger.unconfirmed()).containsExactly(together.id());
        fails(ErrorCode.NAME_TAKEN, () -> ledger.insertTentatively(record("sbx-cccccccccccc", "two")));
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
}
