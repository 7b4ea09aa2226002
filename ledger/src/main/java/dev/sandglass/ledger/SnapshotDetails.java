package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import io.avaje.jsonb.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What no query asks for of a snapshot, kept as JSON in one column. */
@Json
record SnapshotDetails(
        @Nullable String parent,
        String sandboxName,
        String runtime,
        long ownBytes,
        long totalBytes,
        long pauseMicros,
        String description,
        Map<String, String> labels) {
    static SnapshotDetails of(SnapshotRecord record) {
        return new SnapshotDetails(
                record.parent().map(SnapshotId::text).orElse(null),
                record.sandboxName(),
                record.runtime(),
                record.bytes().own(),
                record.bytes().total(),
                record.pauseMicros(),
                record.description(),
                record.labels());
    }
}
