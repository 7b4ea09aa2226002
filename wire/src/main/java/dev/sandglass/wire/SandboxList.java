package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of sandboxes.
 *
 * @param nextCursor asks for the page after this one; absent on the last
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record SandboxList(List<Sandbox> sandboxes, @Nullable String nextCursor) {}
