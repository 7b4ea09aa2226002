package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox of a fleet.
 *
 * @param machine the name of the entry in the file that describes it
 * @param snapshot what it began with
 * @param finished whether it got all that it is to have
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record FleetMember(String fleet, String machine, String name, String id, String state, @Nullable String snapshot, boolean finished) {}
