package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.sandbox.Deadline;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.wire.CreateSnapshot;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The snapshot that somebody wants to have.
 *
 * @param keepsVolumes whether what volumes are in the same pause is kept beside it, until their copies are made
 */
record Wish(
        SnapshotPurpose purpose,
        Optional<String> name,
        String description,
        Map<String, String> labels,
        Optional<Deadline> expiry,
        boolean diskOnly,
        Optional<IdempotencyKey> key,
        boolean keepsVolumes) {
    private static final int MOST_DESCRIPTION = 4096;
    private static final long MOST_SECONDS = Integer.MAX_VALUE;

    /** For the engine's own use. */
    static Wish of(SnapshotPurpose purpose, boolean diskOnly) {
        return new Wish(purpose, Optional.empty(), "", Map.of(), Optional.empty(), diskOnly, Optional.empty(), false);
    }

    /** For copies that begin with it at once. */
    static Wish ofFork(boolean diskOnly, boolean keepsVolumes) {
        return new Wish(SnapshotPurpose.FORK, Optional.empty(), "", Map.of(), Optional.empty(), diskOnly, Optional.empty(), keepsVolumes);
    }

    /** For a build. */
    static Wish ofBuild(String description, Map<String, String> labels, boolean diskOnly) {
        return new Wish(SnapshotPurpose.BUILD, Optional.empty(), description(description), Rules.pairs("labels", Rules.LABEL, labels), Optional.empty(), diskOnly, Optional.empty(), false);
    }

    /** What is asked for, checked. */
    static Wish of(CreateSnapshot request, Moment now, Optional<IdempotencyKey> key) {
        return new Wish(
                SnapshotPurpose.KEPT,
                Optional.ofNullable(request.name()).map(Rules::name),
                description(request.description()),
                Rules.pairs("labels", Rules.LABEL, request.labels() == null ? Map.of() : request.labels()),
                expiry(request.expires(), now),
                Boolean.TRUE.equals(request.diskOnly()),
                key,
                false);
    }

    private static String description(@Nullable String asked) {
        String text = asked == null ? "" : asked;
        if (text.length() > MOST_DESCRIPTION) {
            throw Rules.invalid("description", text.length() + " characters", "at most " + MOST_DESCRIPTION);
        }
        return text;
    }

    private static Optional<Deadline> expiry(@Nullable Long seconds, Moment now) {
        if (seconds == null || seconds == 0) {
            return Optional.empty();
        }
        if (seconds < 0 || seconds > MOST_SECONDS) {
            throw Rules.invalid("expires", String.valueOf(seconds), "0 to " + MOST_SECONDS + " seconds");
        }
        return Optional.of(Deadline.after(Duration.ofSeconds(seconds), now));
    }
}
