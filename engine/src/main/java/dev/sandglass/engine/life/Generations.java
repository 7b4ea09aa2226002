package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import java.util.concurrent.atomic.AtomicLong;

/** Gives out generation numbers: every copy, and every sandbox that goes on, has one that no other of this machine has. Thread-safe. */
final class Generations {
    private final AtomicLong last;

    /** What the ledger has says where to go on: a number is in it before anybody inside is told. */
    Generations(Ledger ledger) {
        this.last = new AtomicLong(ledger.highestGeneration());
    }

    /** @param known another one in any case than this, of which processes may know from another machine */
    long next(long known) {
        return last.updateAndGet(number -> number + 1 == known ? number + 2 : number + 1);
    }
}
