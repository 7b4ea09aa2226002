package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What has become of a build.
 *
 * @param snapshotId the id of the configuration
 * @param status {@code running}, {@code succeeded} or {@code failed}
 * @param snapshot what it made
 * @param log the end of what it printed
 */
@Json
public record SnapshotJobStatus(String jobId, String snapshotId, String status, @Nullable String step, @Nullable String snapshot, @Nullable Problem error, Instant startedAt, @Nullable Instant endedAt, String log) {}
