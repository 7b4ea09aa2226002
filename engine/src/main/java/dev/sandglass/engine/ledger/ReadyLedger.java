package dev.sandglass.engine.ledger;

import java.util.List;

/** Which pools of ready sandboxes there are to be; of those that wait it knows nothing. A call that returns is durable. Thread-safe. */
public interface ReadyLedger {
    /** The most that are kept. */
    int MOST = 256;

    /** All of them, by name. */
    List<ReadyRecord> all();

    /** Adds one, or replaces that of the same name; {@code limit_reached} if there are as many as may be. */
    void put(ReadyRecord pool);

    /** Whether there was one of that name; it is gone. */
    boolean remove(String name);
}
