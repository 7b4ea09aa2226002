package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.SandboxState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Ends sandboxes for good. Every step can be done twice; the caller holds the sandbox's lock, or is alone. */
final class Demolition {
    private final Ledger ledger;
    private final Construction construction;
    private final Roster roster;
    private final List<Consumer<SandboxRecord>> watchers = new CopyOnWriteArrayList<>();

    Demolition(Ledger ledger, Construction construction, Roster roster) {
        this.ledger = ledger;
        this.construction = construction;
        this.roster = roster;
    }

    /** Tells of every sandbox that is gone. */
    void watch(Consumer<SandboxRecord> watcher) {
        watchers.add(watcher);
    }

    /**
     * Writes that it goes, takes everything away, writes that it is gone.
     *
     * @param cause what began that, unless it is written already
     */
    void demolish(SandboxRecord record, Cause cause) {
        SandboxRecord going = record;
        Optional<Cause> why = Optional.of(cause);
        if (record.state() instanceof SandboxState.Destroying(Optional<Cause> before)) {
            why = before;
        } else {
            going = record.in(new SandboxState.Destroying(cause));
            ledger.update(going);
        }
        Failpoint.DESTROY_RECORDED.reach();
        roster.strike(record.id()).ifPresent(running -> running.link().close());
        Failpoint.DESTROY_UNLINKED.reach();
        construction.stopForGood(going);
        Failpoint.DESTROY_STOPPED.reach();
        construction.removeTree(going.id());
        Failpoint.DESTROY_TREE.reach();
        construction.removeIdentity(going.id());
        Failpoint.DESTROY_IDENTITY.reach();
        SandboxRecord gone = going.in(new SandboxState.Destroyed(why));
        ledger.update(gone);
        Failpoint.DESTROY_DONE.reach();
        watchers.forEach(watcher -> watcher.accept(gone));
    }
}
