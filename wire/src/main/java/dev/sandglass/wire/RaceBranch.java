package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * One of several copies in which a command was tried.
 *
 * @param outcome {@code succeeded}, {@code failed}, or {@code beaten} by one that was quicker
 * @param ms how long the command took, or ran until another won
 * @param kept whether its sandbox is still there
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record RaceBranch(
        int branch, String sandboxId, String sandboxName, String outcome, @Nullable Integer exitCode, @Nullable Double score, long ms, boolean kept) {}
