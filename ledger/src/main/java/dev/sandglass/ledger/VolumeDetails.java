package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.VolumeRecord;
import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.engine.sandbox.VolumeMode;
import dev.sandglass.engine.sandbox.VolumeUse;
import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What no query asks for of a volume, kept as JSON in one column. */
@Json
record VolumeDetails(boolean snapshot, long bytes, @Nullable String source, Map<String, String> labels) {
    /** A volume of a sandbox or a snapshot, as their own details have it. */
    @Json
    record Use(String id, String name, int slot, String path, String mode) {
        static @Nullable List<Use> of(List<VolumeUse> uses) {
            return uses.isEmpty()
                    ? null
                    : uses.stream().map(use -> new Use(use.volume().text(), use.name(), use.slot(), use.path(), use.mode().text())).toList();
        }

        static List<VolumeUse> read(@Nullable List<Use> uses) {
            return uses == null
                    ? List.of()
                    : uses.stream()
                            .map(use -> new VolumeUse(new VolumeId(use.id), use.name, use.slot, use.path, VolumeMode.of(use.mode).orElseThrow()))
                            .toList();
        }
    }

    static VolumeDetails of(VolumeRecord record) {
        return new VolumeDetails(record.isSnapshot(), record.bytes(), record.source().map(VolumeId::text).orElse(null), record.labels());
    }
}
