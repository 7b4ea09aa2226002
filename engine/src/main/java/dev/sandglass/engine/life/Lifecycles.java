package dev.sandglass.engine.life;

import dev.sandglass.engine.sandbox.AtTimeout;
import dev.sandglass.engine.sandbox.Lifecycle;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.UpdateSandbox;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What requests say about a sandbox that nobody looks after. */
final class Lifecycles {
    static final String NEVER = "never";
    static final String FROM_CHECKPOINT = "from-checkpoint";

    /** How a warning about pauses begins. */
    static final String LOSS = "When it is paused its processes end, and its disk is kept: ";

    /** How a warning about checkpoints begins. */
    static final String DISK_ONLY = "Its checkpoints have its disk only, so when it comes back from one its programs start anew: ";

    private static final int KEPT = 5;
    private static final int MOST_KEPT = 100;

    private Lifecycles() {}

    /** @param obstacle why its processes cannot be captured, if they cannot */
    static Lifecycle of(CreateSandbox request, Defaults defaults, Optional<String> obstacle, List<String> warnings) {
        boolean decides = request.ttl() != null || Boolean.TRUE.equals(request.linger());
        return changed(
                Lifecycle.PLAIN,
                request.onTimeout(),
                decides ? request.ttl() : (Long) defaults.ttlSeconds(),
                request.autoResume(),
                request.checkpointEvery(),
                request.keepCheckpoints(),
                request.restart(),
                obstacle,
                warnings);
    }

    static Lifecycle of(Lifecycle before, UpdateSandbox request, Optional<String> obstacle, List<String> warnings) {
        return changed(
                before,
                request.onTimeout(),
                request.ttl(),
                request.autoResume(),
                request.checkpointEvery(),
                request.keepCheckpoints(),
                request.restart(),
                obstacle,
                warnings);
    }

    private static Lifecycle changed(
            Lifecycle before,
            @Nullable String onTimeout,
            @Nullable Long ttl,
            @Nullable Boolean autoResume,
            @Nullable Long every,
            @Nullable Integer keep,
            @Nullable String restart,
            Optional<String> obstacle,
            List<String> warnings) {
        Lifecycle wanted = new Lifecycle(
                onTimeout == null ? before.atTimeout() : AtTimeout.of(onTimeout).orElseThrow(() -> Rules.invalid("on_timeout", Rules.printable(onTimeout), "kill, pause or pause-disk")),
                ttl == null ? before.ttl() : Rules.seconds("ttl", ttl),
                autoResume == null ? before.autoResume() : autoResume,
                checkpoints(before, every, keep),
                restart == null ? before.restarts() : word("restart", restart, FROM_CHECKPOINT, NEVER));
        if (wanted.restarts() && wanted.checkpoints().isEmpty()) {
            throw Rules.invalid("restart", FROM_CHECKPOINT, "checkpoint_every beside it");
        }
        if ((wanted.atTimeout() == AtTimeout.PAUSE || wanted.ttl().isPresent()) && !wanted.equals(before)) {
            obstacle.ifPresent(reason -> warnings.add(LOSS + reason));
        }
        if (wanted.checkpoints().isPresent() && !wanted.equals(before)) {
            obstacle.ifPresent(reason -> warnings.add(DISK_ONLY + reason));
        }
        return wanted;
    }

    /** @return whether it is the first word and not the second */
    private static boolean word(String field, String asked, String yes, String no) {
        if (!asked.equals(yes) && !asked.equals(no)) {
            throw Rules.invalid(field, Rules.printable(asked), no + " or " + yes);
        }
        return asked.equals(yes);
    }

    private static Optional<Lifecycle.Checkpoints> checkpoints(Lifecycle before, @Nullable Long every, @Nullable Integer keep) {
        Optional<Duration> rhythm =
                every == null ? before.checkpoints().map(Lifecycle.Checkpoints::every) : Rules.seconds("checkpoint_every", every);
        int kept = keep == null ? before.checkpoints().map(Lifecycle.Checkpoints::keep).orElse(KEPT) : keep;
        if (kept < 1 || kept > MOST_KEPT) {
            throw Rules.invalid("keep_checkpoints", String.valueOf(kept), "1 to " + MOST_KEPT);
        }
        if (keep != null && rhythm.isEmpty()) {
            throw Rules.invalid("keep_checkpoints", String.valueOf(kept), "checkpoint_every beside it");
        }
        return rhythm.map(time -> new Lifecycle.Checkpoints(time, kept));
    }
}
