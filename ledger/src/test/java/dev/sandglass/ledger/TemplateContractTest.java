package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.ledger.TemplateLedger;
import dev.sandglass.engine.ledger.TemplateRecord;
import dev.sandglass.engine.ledger.VersionRecord;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.wire.ErrorCode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of templates and the snapshots that they were built into. */
abstract class TemplateContractTest extends LedgerFixture {
    private static final Instant AT = Instant.ofEpochMilli(1_700_000_000_123L);

    private final SnapshotRecord first = snapshot("snap-aaaaaaaaaaaa", null).ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0);
    private final SnapshotRecord second = snapshot("snap-bbbbbbbbbbbb", null).ready(List.of(), SnapshotRecord.Bytes.UNKNOWN, Optional.empty(), 0);

    private static TemplateRecord template(String name) {
        return new TemplateRecord(name, "user", "{\"name\":\"" + name + "\"}", OptionalLong.empty(), AT, AT);
    }

    private TemplateLedger templates() {
        return ledger.templates();
    }

    private Optional<String> name(SnapshotRecord snapshot) {
        return ledger.snapshots().find(snapshot.id()).flatMap(SnapshotRecord::name);
    }

    private void built() {
        ledger.snapshots().insert(first);
        ledger.snapshots().insert(second);
        templates().insert(template("shop"));
        assertThat(templates().publish("shop", first.id(), "one", "recipe one", Optional.of("build-1"), List.of(), AT)).isEqualTo(1);
        assertThat(templates().publish("shop", second.id(), "two", "recipe two", Optional.empty(), List.of(), AT)).isEqualTo(2);
    }

    @Test
    void theyAreThereForTheNextDaemonToTheLetter() {
        templates().insert(template("b"));
        templates().insert(template("a"));
        templates().replace("b", "config", "{}", AT.plusMillis(1));
        ledger.close();
        ledger = open();
        assertThat(templates().all()).containsExactly(template("a"), new TemplateRecord("b", "config", "{}", OptionalLong.empty(), AT, AT.plusMillis(1)));
        templates().remove("a");
        templates().remove("a");
        assertThat(templates().find("a")).isEmpty();
        fails(ErrorCode.TEMPLATE_NOT_FOUND, () -> templates().replace("a", "user", "{}", AT));
        fails(ErrorCode.TEMPLATE_NOT_FOUND, () -> templates().publish("a", first.id(), "one", "recipe one", Optional.empty(), List.of(), AT));
    }

    @Test
    void aNameIsThatOfATemplateOrOfAnotherSnapshot() {
        ledger.snapshots().insert(snapshot("snap-cccccccccccd", "golden"));
        fails(ErrorCode.NAME_TAKEN, () -> templates().insert(template("golden")));
        templates().insert(template("shop"));
        fails(ErrorCode.NAME_TAKEN, () -> templates().insert(template("shop")));
        fails(ErrorCode.NAME_TAKEN, () -> ledger.snapshots().insert(snapshot("snap-dddddddddddd", "shop")));
        templates().remove("shop");
        ledger.snapshots().insert(snapshot("snap-dddddddddddd", "shop"));
    }

    @Test
    void soManyAreKeptAndNoMore() {
        for (int i = 0; i < TemplateLedger.MOST; i++) {
            templates().insert(template("t" + i));
        }
        fails(ErrorCode.LIMIT_REACHED, () -> templates().insert(template("more")));
        templates().remove("t0");
        templates().insert(template("more"));
    }

    @Test
    void theNameStandsForOneSnapshotAndMoves() {
        built();
        assertThat(name(first)).isEmpty();
        assertThat(name(second)).contains("shop");
        assertThat(templates().find("shop").orElseThrow().current()).hasValue(2);
        assertThat(templates().versions("shop")).containsExactly(
                new VersionRecord("shop", 2, second.id(), "two", Optional.empty(), Optional.of("recipe two"), AT), new VersionRecord("shop", 1, first.id(), "one", Optional.of("build-1"), Optional.of("recipe one"), AT));
        templates().point("shop", 1);
        assertThat(name(first)).contains("shop");
        assertThat(name(second)).isEmpty();
        fails(ErrorCode.TEMPLATE_NOT_FOUND, () -> templates().point("shop", 3));
        ledger.snapshots().delete(second.id());
        fails(ErrorCode.SNAPSHOT_NOT_FOUND, () -> templates().point("shop", 2));
        assertThat(name(first)).as("it stands for what it stood for").contains("shop");
        fails(ErrorCode.SNAPSHOT_NOT_FOUND, () -> templates().publish("shop", second.id(), "two", "recipe two", Optional.empty(), List.of(), AT));
        assertThat(templates().versions("shop")).hasSize(2);
    }

    @Test
    void whatItStandsForIsNotForgottenAndTheRestGoesWithItsSnapshot() {
        built();
        templates().forget("shop", 2);
        assertThat(templates().versions("shop")).hasSize(2);
        templates().forget("shop", 1);
        assertThat(templates().versions("shop")).extracting(VersionRecord::version).containsExactly(2L);
        assertThat(ledger.snapshots().find(first.id())).get().extracting(SnapshotRecord::state).isEqualTo(SnapshotState.DELETED);
        templates().clear("shop");
        assertThat(templates().find("shop").orElseThrow().current()).isEmpty();
        assertThat(ledger.snapshots().find(second.id())).get().extracting(SnapshotRecord::state).isEqualTo(SnapshotState.DELETED);
        assertThat(templates().versions("shop")).isEmpty();
    }
}
