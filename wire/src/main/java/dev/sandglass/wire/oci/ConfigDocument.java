package dev.sandglass.wire.oci;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What an image is beside its files. */
@Json
public record ConfigDocument(
        @Nullable String created, @Nullable String architecture, @Nullable String os, @Nullable String variant, @Nullable Settings config, @Nullable Layers rootfs) {
    /** What programs of the image get. */
    @Json
    public record Settings(
            @Nullable @Json.Property("User") String user,
            @Nullable @Json.Property("Env") List<String> env,
            @Nullable @Json.Property("Entrypoint") List<String> entrypoint,
            @Nullable @Json.Property("Cmd") List<String> cmd,
            @Nullable @Json.Property("WorkingDir") String workingDir,
            @Nullable @Json.Property("Labels") Map<String, String> labels) {}

    /** The digests of the layers before they were compressed, the lowest first. */
    @Json
    public record Layers(@Nullable String type, @Nullable @Json.Property("diff_ids") List<String> diffIds) {}
}
