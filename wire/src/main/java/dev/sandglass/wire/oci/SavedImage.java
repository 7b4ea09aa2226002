package dev.sandglass.wire.oci;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One image in the list of an archive as {@code docker save} writes it; the names are those of files in the archive. */
@Json
public record SavedImage(
        @Nullable @Json.Property("Config") String config,
        @Nullable @Json.Property("RepoTags") List<String> repoTags,
        @Nullable @Json.Property("Layers") List<String> layers) {
    /** The archive's list is a bare JSON array, which is read as the field of this. */
    @Json
    public record ListOf(List<SavedImage> images) {}
}
