package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a template is built of. */
@Json
public record BuildWish(
        @Nullable String fromImage,
        @Nullable String fromTemplate,
        @Nullable Object fromImageRegistry,
        @Nullable List<Step> steps,
        @Nullable String startCmd,
        @Nullable String readyCmd,
        @Nullable Boolean force) {
    /** A step. */
    @Json
    public record Step(String type, @Nullable List<String> args, @Nullable String filesHash, @Nullable Boolean force) {}
}
