package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file, of any kind, that differs.
 *
 * @param change added, changed or removed
 * @param fields what differs of one that was changed: kind, content, target, mode, owner, attributes
 * @param text what {@code diff -u} would print of a text, if that was asked for
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record FileChange(
        String change, String path, List<String> fields, @Nullable FileVersion before, @Nullable FileVersion after, @Nullable String text) {}
