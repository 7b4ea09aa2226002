package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The images that came with snapshots from elsewhere: each goes with the last that needs it. They go one after the other, which may take seconds, and nobody waits for that
 * but who wants to hold the one that is on its way. Thread-safe.
 */
final class UsedImages {
    private static final Logger LOG = LoggerFactory.getLogger(UsedImages.class);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** {@link Images#removeUnless}. */
    interface Removal {
        boolean removeUnless(String image, BooleanSupplier needed);
    }

    private final Predicate<String> named;
    private final Removal removal;
    /** What somebody reads, whether the ledger names it or not, and how many do. */
    private final Map<String, Integer> held = new HashMap<>();
    /** Those that somebody needed, and nobody may need now. */
    private final Set<String> left = new HashSet<>();
    /** Those of them at which nobody could look the last time. */
    private final Set<String> postponed = new HashSet<>();
    /** The one that is looked at or removed just now: who does that goes on until none is left. */
    private Optional<String> leaving = Optional.empty();

    UsedImages(Ledger ledger, Images images) {
        this(
                image -> ledger.snapshots().imagesInUse().contains(image)
                        || ledger.sandboxes().stream().anyMatch(sandbox -> sandbox.image().equals(image)),
                images::removeUnless);
    }

    /** @param named whether the ledger says that something stands on an image */
    UsedImages(Predicate<String> named, Removal removal) {
        this.named = named;
        this.removal = removal;
    }

    /** Keeps an image until it was released as often as held; one that is being removed is gone then. {@code conflict} when that takes long: a sandbox's lock may be held. */
    synchronized void hold(String image) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (leaving.filter(image::equals).isPresent()) {
                long rest = end - System.nanoTime();
                if (rest <= 0) {
                    throw new SandglassException(ErrorCode.CONFLICT, "The image " + image + " is being removed.", "Try again in a while.");
                }
                TimeUnit.NANOSECONDS.timedWait(this, rest);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
        held.merge(image, 1, Integer::sum);
    }

    void release(String image) {
        synchronized (this) {
            held.computeIfPresent(image, (_, times) -> times == 1 ? null : times - 1);
        }
        leave(image);
    }

    /**
     * A snapshot or a sandbox that stood on it is gone. If somebody removes another just now, he sees to this one too. What cannot be removed now is tried again the next
     * time, and at the next start.
     */
    void leave(String image) {
        for (Optional<String> next = begun(image); next.isPresent(); next = next()) {
            remove(next.get());
        }
    }

    private synchronized Optional<String> begun(String image) {
        left.add(image);
        left.addAll(postponed);
        postponed.clear();
        return leaving.isPresent() ? Optional.empty() : next();
    }

    private synchronized Optional<String> next() {
        leaving = left.stream().findFirst();
        leaving.ifPresent(left::remove);
        notifyAll();
        return leaving;
    }

    private void remove(String image) {
        try {
            if (!removal.removeUnless(image, () -> isNeeded(image))) {
                postpone(image);
            }
        } catch (RuntimeException | Error problem) { // also when memory runs out: who waits for it must not wait for ever
            LOG.warn("Image {} could not be removed; it is tried again at the next start", image, problem);
        }
    }

    private synchronized void postpone(String image) {
        postponed.add(image);
    }

    private boolean isNeeded(String image) {
        synchronized (this) {
            if (held.containsKey(image)) {
                return true;
            }
        }
        return named.test(image);
    }
}
