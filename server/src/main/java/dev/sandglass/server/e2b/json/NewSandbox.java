package dev.sandglass.server.e2b.json;

import dev.sandglass.server.e2b.sandbox.NetworkConfig;
import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request for a sandbox. Times are seconds. */
@Json
public record NewSandbox(
        @Nullable String templateID,
        @Nullable Map<String, String> metadata,
        @Nullable Map<String, String> envVars,
        @Nullable Long timeout,
        @Nullable Boolean secure,
        @Json.Property("allow_internet_access") @Nullable Boolean allowInternetAccess,
        @Nullable NetworkConfig network,
        @Nullable Boolean autoPause,
        @Nullable Boolean autoPauseMemory,
        @Nullable AutoResume autoResume,
        @Nullable List<MountedVolume> volumeMounts,
        @Nullable Object iam,
        @Nullable Object mcp) {}
