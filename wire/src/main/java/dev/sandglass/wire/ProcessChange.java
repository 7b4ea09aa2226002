package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/**
 * A process that came or went; one that executed another program or gave itself another title did both.
 *
 * @param change added or removed
 * @param pid its number inside, like that of its parent
 * @param uid the user that it acts as
 * @param command what it says that it was started with, at most 512 bytes of it
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ProcessChange(String change, long pid, long parent, long uid, String command) {
    public ProcessChange(String change, ProcessFacts process) {
        this(change, process.pid(), process.parent(), process.uid(), process.command());
    }
}
