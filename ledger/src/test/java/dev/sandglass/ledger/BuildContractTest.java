package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.BuildLedger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildStep;
import dev.sandglass.wire.Problem;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of builds and of what their steps left. */
abstract class BuildContractTest extends LedgerFixture {
    private static final Instant AT = Instant.ofEpochMilli(1_700_000_000_123L);

    private BuildLedger builds() {
        return ledger.builds();
    }

    private static Build build(String id, String subject, long second, boolean ended) {
        Instant begun = AT.plusSeconds(second);
        return new Build(
                id, "template", subject, ended ? "failed" : "running", "sbx-aaaaaaaaaaaa", List.of(new BuildStep("setup", "failed", 1.5, "what", "hint")), List.of("a warning"), null, null,
                ended ? new Problem("build_failed", "what", "hint") : null, begun, ended ? begun.plusMillis(1) : null);
    }

    private SnapshotRecord ready(int number) {
        SnapshotRecord made = snapshot("snap-%012d".formatted(number), null).ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0);
        ledger.snapshots().insert(made);
        return made;
    }

    @Test
    void theyAreThereForTheNextDaemonToTheLetter() {
        builds().keep(build("build-1", "shop", 1, false), "");
        builds().keep(build("build-2", "other", 2, false), "");
        builds().keep(build("build-1", "shop", 1, true), "the last words \u00e9");
        ledger.close();
        ledger = open();
        assertThat(builds().find("build-1")).contains(build("build-1", "shop", 1, true));
        assertThat(builds().log("build-1")).contains("the last words \u00e9");
        assertThat(builds().list(Optional.empty(), 10)).extracting(Build::id).containsExactly("build-2", "build-1");
        assertThat(builds().list(Optional.of("shop"), 10)).extracting(Build::id).containsExactly("build-1");
        assertThat(builds().list(Optional.empty(), 1)).hasSize(1);
        assertThat(builds().open()).extracting(Build::id).containsExactly("build-2");
        assertThat(builds().find("build-3")).isEmpty();
        assertThat(builds().log("build-3")).isEmpty();
    }

    @Test
    void ofThoseThatHaveEndedTheNewestAreKeptAndAllThatRun() {
        builds().keep(build("build-running", "shop", 0, false), "");
        for (int i = 1; i <= 210; i++) {
            builds().keep(build("build-" + i, "shop", i, true), "");
        }
        List<String> left = builds().list(Optional.empty(), 1000).stream().map(Build::id).toList();
        assertThat(left).hasSize(201).contains("build-running", "build-210", "build-11").doesNotContain("build-10");
    }

    @Test
    void whatAStepLeftIsFoundAsLongAsItIsThere() {
        SnapshotRecord one = ready(1);
        assertThat(builds().keepStep("key", one.id(), 10)).isEmpty();
        ledger.close();
        ledger = open();
        assertThat(builds().step("key")).contains(one.id());
        assertThat(builds().step("other")).isEmpty();
        SnapshotRecord two = ready(2);
        assertThat(builds().keepStep("key", two.id(), 10)).containsExactly(one.id());
        assertThat(builds().step("key")).contains(two.id());
        ledger.snapshots().delete(two.id());
        assertThat(builds().step("key")).isEmpty();
    }

    @Test
    void moreThanThereMayBeGoTheLeastUsedFirst() {
        List<SnapshotId> made = List.of(ready(1).id(), ready(2).id(), ready(3).id());
        builds().keepStep("a", made.get(0), 2);
        nextMillisecond();
        builds().keepStep("b", made.get(1), 2);
        nextMillisecond();
        assertThat(builds().step("a")).isPresent();
        nextMillisecond();
        assertThat(builds().keepStep("c", made.get(2), 2)).containsExactly(made.get(1));
        assertThat(builds().step("b")).isEmpty();
        assertThat(builds().forgetSteps()).containsExactlyInAnyOrder(made.get(0), made.get(2));
        assertThat(builds().step("a")).isEmpty();
    }

    /** What was used is told apart by it. */
    private static void nextMillisecond() {
        long now = Instant.now().toEpochMilli();
        while (Instant.now().toEpochMilli() == now) {
            Thread.onSpinWait();
        }
    }
}
