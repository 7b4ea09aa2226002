package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** The commands of a sandbox. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CommandList(List<Command> commands) {}
