package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/**
 * A process of a sandbox.
 *
 * @param pid its number inside, like that of its parent
 * @param uid the user that it acts as
 * @param command what it says that it was started with, cut where that is long; hostile
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ProcessFacts(long pid, long parent, long uid, String command) {
    static final int MOST_COMMAND = 512;

    public ProcessFacts {
        command = command.substring(0, Math.min(command.length(), MOST_COMMAND));
    }
}
