package dev.sandglass.pool.image;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;

/**
 * What an image is.
 *
 * @param version of this format
 * @param treeDigest SHA-256 over the whole tree
 * @param packages name and version of each
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ImageManifest(
        int version,
        String id,
        String suite,
        Instant created,
        String treeDigest,
        long files,
        long bytes,
        List<String> packages) {
    /** Since 2 the digest counts attributes and the root itself. */
    static final int VERSION = 2;

    static boolean isKnown(int version) {
        return version >= 1 && version <= VERSION;
    }
}
