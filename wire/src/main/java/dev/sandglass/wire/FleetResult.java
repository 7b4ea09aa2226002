package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * What became of a machine when its fleet was brought to what its file says.
 *
 * @param machine the name of the entry in the file that describes it
 * @param outcome {@code created}, {@code finished}, {@code updated}, {@code started}, {@code replaced}, {@code kept}, {@code changed}, {@code extra}, {@code removed} or {@code failed}
 * @param note what there is to say of it
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record FleetResult(String name, @Nullable String id, String machine, String outcome, @Nullable String note, long ms, @Nullable Problem error) {}
