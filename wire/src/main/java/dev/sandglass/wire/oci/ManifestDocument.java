package dev.sandglass.wire.oci;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A manifest of one image, or an index of several: which it is shows by what it has.
 *
 * @param manifests of an index
 */
@Json
public record ManifestDocument(
        int schemaVersion, @Nullable String mediaType, @Nullable Descriptor config, @Nullable List<Descriptor> layers, @Nullable List<Descriptor> manifests) {}
