package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.CommandDefaults;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * An image from elsewhere as the ledger has it. It never changes but for its names.
 *
 * @param digest of its configuration
 * @param names by which it is known here, none twice in one ledger
 * @param diffIds the digests of its layers before they were compressed, the lowest first
 * @param layers of the pool, top first
 * @param bytes of the files in them
 */
public record ImageRecord(
        String id,
        String digest,
        List<String> names,
        String architecture,
        List<String> diffIds,
        List<String> layers,
        long bytes,
        CommandDefaults commands,
        Map<String, String> labels,
        List<String> warnings,
        Instant createdAt) {
    /** How ids of images from elsewhere begin; those of base images do not. */
    public static final String PREFIX = "img-";

    public static boolean isId(String text) {
        return text.startsWith(PREFIX);
    }
}
