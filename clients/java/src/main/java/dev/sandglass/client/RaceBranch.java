package dev.sandglass.client;

import org.jspecify.annotations.Nullable;

/**
 * One of the copies in a race.
 *
 * @param branch its number, from 1, which it finds in SANDGLASS_BRANCH
 * @param outcome {@code succeeded}, {@code failed}, or {@code beaten}: another had won before it ended
 * @param exitCode null if it did not end
 * @param ms how long it took
 */
public record RaceBranch(int branch, String sandboxId, String name, String outcome, @Nullable Integer exitCode, @Nullable Double score, long ms, String stdout, String stderr, boolean kept) {
    RaceBranch kept(boolean isKept) {
        return new RaceBranch(branch, sandboxId, name, outcome, exitCode, score, ms, stdout, stderr, isKept);
    }

    boolean succeeded() {
        return outcome.equals("succeeded");
    }
}
