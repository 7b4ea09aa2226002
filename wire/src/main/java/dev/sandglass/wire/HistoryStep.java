package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a sandbox or to one that it grew from.
 *
 * @param what {@code began}: a sandbox goes on from the snapshot, or began with the image if there is none; {@code taken}: the snapshot
 *     was taken of the sandbox
 * @param at absent when it is not known any more
 * @param sandboxId absent if the snapshot came from a plain archive, and was taken of none
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record HistoryStep(String what, @Nullable Instant at, @Nullable String sandboxId, String sandboxName, @Nullable Snapshot snapshot) {}
