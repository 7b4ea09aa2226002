package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** A page of sandboxes. */
@Json(naming = Json.Naming.LowerUnderscore)
public record SandboxList(List<Sandbox> sandboxes) {}
