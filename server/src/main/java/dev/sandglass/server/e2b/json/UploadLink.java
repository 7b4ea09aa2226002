package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** Whether files are here already, and else where they are to be sent. */
@Json
public record UploadLink(boolean present, @Nullable String url) {}
