package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/**
 * What a sandbox is answered whose budget is used up: an error as this program writes them, and in the same object one as clients of models read them.
 *
 * @param type as an answer of the one kind of services has it
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record BudgetProblem(String code, String message, String hint, String type, ModelError error) {
    /** The part that clients of models look at. */
    @Json(naming = Json.Naming.LowerUnderscore)
    public record ModelError(String type, String code, String message) {}

    public static BudgetProblem of(String message, String hint) {
        return new BudgetProblem("budget_exceeded", message, hint, "error", new ModelError("insufficient_quota", "insufficient_quota", message + " " + hint));
    }
}
