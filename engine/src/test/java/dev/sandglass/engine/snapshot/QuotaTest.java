package dev.sandglass.engine.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is admitted counts until it is there or gone, and what is there counts as long as it is. */
class QuotaTest {
    private static final long MB = 1 << 20;

    private final List<Holdings.Share> there = new ArrayList<>();
    private long free = 10_000 * MB;

    private Quota quota(long most) {
        return new Quota(_ -> List.copyOf(there), most * MB, () -> free);
    }

    @Test
    void whatIsAdmittedIsNotForgottenWhenAnotherIs() {
        Quota quota = quota(2000);
        Quota.Reservation first = quota.reserve(SnapshotId.random(), true);
        first.expect(1500 * MB);
        Quota.Reservation second = quota.reserve(SnapshotId.random(), true);
        assertThat(refused(() -> second.expect(1500 * MB)).what()).isEqualTo("Snapshots would take 3000.0 MB (expected: at most 2000.0 MB).");
        second.expect(500 * MB);
        assertThat(quota.room()).isZero();
        first.release();
        second.add(1500 * MB);
        second.release();
        assertThat(quota.room()).isEqualTo(2000 * MB);
    }

    @Test
    void whatWasThoughtIsCorrectedWhenAllIsWritten() {
        Quota quota = quota(2000);
        Quota.Reservation reservation = quota.reserve(SnapshotId.random(), true);
        reservation.expect(1900 * MB);
        reservation.correct(100 * MB);
        assertThat(quota.room()).isEqualTo(1900 * MB);
        refused(() -> reservation.correct(2001 * MB));
        assertThat(quota.room()).as("as before").isEqualTo(1900 * MB);
        there.add(new Holdings.Share(Optional.empty(), 100 * MB));
        reservation.keep();
        assertThat(quota.room()).as("counted once").isEqualTo(1900 * MB);
        reservation.release();
        assertThat(quota.room()).isEqualTo(1900 * MB);
    }

    @Test
    void whatIsKeptCountsAlsoBeforeAllIsCountedAgain() {
        Quota quota = quota(2000);
        assertThat(quota.room()).isEqualTo(2000 * MB);
        Quota.Reservation first = quota.reserve(SnapshotId.random(), true);
        first.correct(1500 * MB);
        there.add(new Holdings.Share(Optional.empty(), 1500 * MB));
        first.keep();
        refused(() -> quota.reserve(SnapshotId.random(), true).expect(501 * MB));
        there.clear();
        quota.reserve(SnapshotId.random(), true).expect(1 * MB);
    }

    @Test
    void whatNobodyReservedIsSeenWhenItIsTold() {
        Quota quota = quota(2000);
        quota.reserve(SnapshotId.random(), true).expect(1 * MB);
        there.add(new Holdings.Share(Optional.empty(), 1990 * MB)); // a merged layer
        quota.recount();
        refused(() -> quota.reserve(SnapshotId.random(), true).expect(10 * MB));
    }

    @Test
    void whatMustNotBeRefusedCountsAllTheSame() {
        Quota quota = quota(100);
        Quota.Reservation rest = quota.reserve(SnapshotId.random(), false);
        rest.expect(500 * MB);
        assertThat(quota.room()).isEqualTo(-400 * MB);
        Quota.Reservation other = quota.reserve(SnapshotId.random(), true);
        refused(() -> other.add(1));
        other.correct(0);
    }

    @Test
    void withoutASettingItIsFourFifthsOfWhatTheyAndNobodyElseHave() {
        there.add(new Holdings.Share(Optional.empty(), 2000 * MB));
        free = 3000 * MB;
        Quota quota = quota(0);
        assertThat(quota.room()).isEqualTo(2000 * MB);
        Quota.Reservation coming = quota.reserve(SnapshotId.random(), true);
        refused(() -> coming.expect(2001 * MB));
        coming.expect(2000 * MB);
        coming.release();
        Quota.Reservation captured = quota.reserve(SnapshotId.random(), true);
        captured.add(5000 * MB); // is a sandbox's already, and so not free
        assertThat(quota.room()).isEqualTo(1000 * MB);
    }

    private static SandglassException refused(Runnable work) {
        SandglassException refusal = catchThrowableOfType(SandglassException.class, work::run);
        assertThat(refusal).as("it is refused").isNotNull();
        assertThat(refusal.code()).isEqualTo(ErrorCode.SNAPSHOT_QUOTA_REACHED);
        return refusal;
    }
}
