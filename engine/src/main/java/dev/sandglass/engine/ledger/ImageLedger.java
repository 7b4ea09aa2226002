package dev.sandglass.engine.ledger;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The images from elsewhere. It holds that no sandbox begins with one that is not there, and that none goes on which something stands. Thread-safe. */
public interface ImageLedger {
    /** The most that are kept. */
    int MOST = 1024;

    /**
     * Adds one, unless it is there, and gives it these names, which another loses; {@code image_refused} if another has its id, {@code limit_reached} if there are as many as may
     * be.
     */
    ImageRecord put(ImageRecord image, Collection<String> names);

    /** All of them, oldest first. */
    List<ImageRecord> all();

    Optional<ImageRecord> find(String id);

    /** By name, id or unique beginning of an id; {@code image_not_found}, {@code ambiguous_prefix}. */
    ImageRecord resolve(String nameOrId);

    /**
     * Takes a name away from an image that has others; else removes the image that is named so, or has that id. {@code conflict} if a sandbox that is not destroyed, or a snapshot that is not
     * deleted, stands on it; {@code image_not_found}.
     */
    void remove(String nameOrId);

    /** The layers of all of them. */
    Set<String> layers();
}
