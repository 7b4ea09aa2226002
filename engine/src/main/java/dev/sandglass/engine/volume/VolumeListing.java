package dev.sandglass.engine.volume;

import dev.sandglass.engine.ledger.VolumePosition;
import dev.sandglass.engine.ledger.VolumeRecord;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Map;
import java.util.Optional;

/**
 * Which volumes somebody wants to see.
 *
 * @param labels those with all of these
 * @param cursor behind which the page begins
 */
public record VolumeListing(Map<String, String> labels, int limit, Optional<String> cursor) {
    boolean wants(VolumeRecord volume) {
        return volume.labels().entrySet().containsAll(labels.entrySet());
    }

    Optional<VolumePosition> after() {
        return cursor.map(text -> VolumePosition.parse(text)
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.INVALID_REQUEST,
                        "cursor: it is none (expected: the next_cursor of a page)",
                        "Hand back next_cursor as it is, or leave it out to begin again.")));
    }
}
