package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.Ledger;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The images that came with snapshots from elsewhere: each goes with the last that needs it. Thread-safe. */
final class UsedImages {
    private static final Logger LOG = LoggerFactory.getLogger(UsedImages.class);

    private final Ledger ledger;
    private final Images images;
    /** What somebody reads, whether the ledger names it or not, and how many do. */
    private final Map<String, Integer> held = new HashMap<>();
    /** Those that somebody needed, and nobody may need now. */
    private final Set<String> left = new HashSet<>();

    UsedImages(Ledger ledger, Images images) {
        this.ledger = ledger;
        this.images = images;
    }

    /** Keeps an image until it was released as often as held. */
    synchronized void hold(String image) {
        held.merge(image, 1, Integer::sum);
    }

    synchronized void release(String image) {
        held.computeIfPresent(image, (_, times) -> times == 1 ? null : times - 1);
        leave(image);
    }

    /** A snapshot or a sandbox that stood on it is gone. What cannot be removed now is tried again the next time, and at the next start. */
    synchronized void leave(String image) {
        left.add(image);
        for (String each : List.copyOf(left)) {
            try {
                if (images.removeUnless(each, () -> isNeeded(each))) {
                    left.remove(each);
                }
            } catch (RuntimeException problem) {
                left.remove(each);
                LOG.warn("Image {} could not be removed; it is tried again at the next start", each, problem);
            }
        }
    }

    private boolean isNeeded(String image) {
        return held.containsKey(image)
                || ledger.snapshots().imagesInUse().contains(image)
                || ledger.sandboxes().stream().anyMatch(sandbox -> sandbox.image().equals(image));
    }
}
