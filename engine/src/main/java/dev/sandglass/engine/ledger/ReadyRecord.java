package dev.sandglass.engine.ledger;

import java.util.Optional;

/**
 * A pool of ready sandboxes as the ledger has it.
 *
 * @param name of the snapshot or template with which they begin, or the id of a snapshot without a name
 * @param least how many wait whoever asks
 * @param most how many wait if more are asked for than there are
 * @param warmUp what runs in each before it is ready
 */
public record ReadyRecord(String name, int least, int most, Optional<String> warmUp) {}
