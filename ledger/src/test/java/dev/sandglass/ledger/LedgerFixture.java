package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.sandglass.engine.ledger.EventFilter;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.engine.sandbox.AtTimeout;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.Deadline;
import dev.sandglass.engine.sandbox.Deadlines;
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
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A ledger, and records to write into it. */
abstract class LedgerFixture {
    static final EventFilter ALL = EventFilter.ALL;
    static final Moment NOW = new Moment(Instant.ofEpochMilli(1_700_000_000_123L), "boot", Duration.ofHours(1));

    static final Lifecycle LIFECYCLE = new Lifecycle(
            AtTimeout.PAUSE, Optional.of(Duration.ofSeconds(60)), true, Optional.of(new Lifecycle.Checkpoints(Duration.ofSeconds(600), 3)), true);

    static final Policy POLICY = new Policy(List.of(Rule.parse("allow *.example.org:443")), Verdict.DENY);
    static final SnapshotRecord.Memory MEMORY = new SnapshotRecord.Memory(
            1 << 20, "digest", Security.STRICT, Set.of(Capability.KILL), new Limits(1 << 30, 1.5, 1L << 40, 128), Map.of("engine", "runsc"));

    Ledger ledger;

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

    static void fails(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .asInstanceOf(type(SandglassException.class))
                .extracting(SandglassException::code)
                .isEqualTo(code);
    }

    static SnapshotRecord snapshot(String id, @Nullable String name) {
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
                Instant.ofEpochMilli(1_700_000_000_123L),
                Optional.of(POLICY),
                List.of(),
                CommandDefaults.of(Optional.of("dev"), Optional.of("/srv")));
    }

    static Deadline deadline(long seconds) {
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
                Lineage.OF_AN_IMAGE,
                Optional.of(POLICY),
                Set.of(),
                List.of(),
                new CommandDefaults(Optional.of("dev:staff"), Optional.of("/home/dev"), Map.of("A", "b"), List.of("/entry"), List.of("-v")));
    }
}
