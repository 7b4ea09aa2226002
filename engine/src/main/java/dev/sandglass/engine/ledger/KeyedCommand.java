package dev.sandglass.engine.ledger;

import java.time.Instant;

/**
 * A command that is called by a key.
 *
 * @param life when the sandbox was started: after another start the number is another command's
 * @param started whether it came to run; if not, it may have, and the daemon ended before it knew
 */
public record KeyedCommand(Instant life, int number, boolean started) {}
