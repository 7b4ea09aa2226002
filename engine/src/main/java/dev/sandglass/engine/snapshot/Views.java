package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.Deadline;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.Snapshot;
import org.jspecify.annotations.Nullable;

/** A record as the API shows it. */
final class Views {
    private static final double MICROS_PER_MILLI = 1000;

    private Views() {}

    /** What came from a plain archive was taken of none. */
    static @Nullable String sandbox(SnapshotRecord record) {
        return record.sandbox().equals(Imported.NOBODY) ? null : record.sandbox().text();
    }

    /** Of one that was made just now, so it is sound. */
    static Snapshot of(SnapshotRecord record) {
        return of(record, false);
    }

    static Snapshot of(SnapshotRecord record, boolean damaged) {
        return new Snapshot(
                record.id().text(),
                record.name().orElse(null),
                record.memory().isPresent() ? "full" : "disk",
                record.purpose().text(),
                damaged && record.state() == SnapshotState.READY ? "damaged" : record.state().text(),
                record.parent().map(SnapshotId::text).orElse(null),
                sandbox(record),
                record.sandboxName(),
                record.runtime(),
                record.image(),
                record.bytes().own(),
                record.bytes().total(),
                record.memory().map(SnapshotRecord.Memory::bytes).orElse(0L),
                record.pauseMicros() / MICROS_PER_MILLI,
                record.description(),
                record.labels(),
                record.createdAt(),
                record.expiry().map(Deadline::at).orElse(null),
                record.volumes().stream().map(VolumeUse::toWire).toList(),
                record.commandDefaults().user().orElse(null),
                record.commandDefaults().workdir().orElse(null));
    }
}
