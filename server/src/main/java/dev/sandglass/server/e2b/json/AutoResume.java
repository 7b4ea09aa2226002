package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** Whether use wakes a sandbox that is paused: older clients say it by a policy. */
@Json
public record AutoResume(@Nullable Boolean enabled, @Nullable String policy) {}
