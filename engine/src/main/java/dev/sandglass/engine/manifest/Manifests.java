package dev.sandglass.engine.manifest;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The port that makes manifests of files on disk, and holds files against them. Thread-safe. */
public interface Manifests {
    /**
     * Writes the manifest of the source to a new file: there whole and on disk, or not at all. Hashes of files that surely
     * did not change since the earlier manifest are taken from it.
     *
     * @param unwanted asked again and again, and quick: once it is so, the work ends soon with {@code conflict}
     */
    ManifestSummary write(ManifestSource source, Path file, Optional<Path> earlier, BooleanSupplier unwanted);

    /** The same for somebody who wants it in any case. */
    default ManifestSummary write(ManifestSource source, Path file, Optional<Path> earlier) {
        return write(source, file, earlier, () -> false);
    }

    /**
     * Writes the manifest of files that were made just now as another manifest says, their content held to it while it came: all
     * but the content is compared, {@code snapshot_damaged} names what differs.
     */
    ManifestSummary adopt(ManifestSource source, Path file, Path followed);

    /**
     * Reads and hashes everything; throws {@code snapshot_damaged} with the first fact, or the first path and field, that differs.
     *
     * @param unwanted as for {@link #write(ManifestSource, Path, Optional, BooleanSupplier)}
     */
    ManifestSummary verify(ManifestSource source, Path file, BooleanSupplier unwanted);

    /** The same for somebody who wants it in any case. */
    default ManifestSummary verify(ManifestSource source, Path file) {
        return verify(source, file, () -> false);
    }

    /** As {@link #verify}, but by type, size, times and the filesystem's own word, without reading content. */
    void check(ManifestSource source, Path file);
}
