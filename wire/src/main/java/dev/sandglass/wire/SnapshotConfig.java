package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A template in the form of a snapshot's configuration.
 *
 * @param id the name of the snapshot that is built of it
 * @param template with which it begins; its setup has run before this one's
 */
@Json
public record SnapshotConfig(String id, @Nullable String template, @Nullable String setup, @Nullable List<String> requiredDomains, @Nullable SnapshotConfigResources resources) {}
