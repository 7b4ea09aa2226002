package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** What is in a directory. */
@Json(naming = Json.Naming.LowerUnderscore)
public record EntryList(List<Entry> entries, boolean truncated) {}
