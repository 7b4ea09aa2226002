package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes sandboxes that exist, running or not. Thread-safe, but the caller holds the sandbox's lock. */
final class Alteration {
    private static final Logger LOG = LoggerFactory.getLogger(Alteration.class);

    private final Ledger ledger;
    private final Construction construction;
    private final Roster roster;

    Alteration(Ledger ledger, Construction construction, Roster roster) {
        this.ledger = ledger;
        this.construction = construction;
        this.roster = roster;
    }

    /** Lets its times begin anew. */
    SandboxRecord refresh(SandboxRecord record, Moment now) {
        SandboxRecord next = record.refreshed(now);
        ledger.update(next);
        roster.find(next.id()).ifPresent(LiveSandbox::use);
        roster.note(next);
        return next;
    }

    /** Writes another policy, then puts it in force. */
    SandboxRecord govern(SandboxRecord before, UnaryOperator<Policy> change) {
        requireSettled(before);
        Policy policy = policy(before);
        Policy wanted = change.apply(policy);
        construction.requireUseful(policy, wanted);
        SandboxRecord next = before.governed(wanted);
        ledger.update(next);
        construction.govern(next);
        roster.note(next);
        return next;
    }

    /** Writes what commands get from now on when nobody says otherwise; those that run keep what they have. */
    SandboxRecord tell(SandboxRecord before, CommandDefaults commands) {
        requireSettled(before);
        SandboxRecord next = before.telling(Rules.checked(commands));
        ledger.update(next);
        roster.revise(next);
        return next;
    }

    /** Lets its requests get a credential too; fine if they do. */
    SandboxRecord grant(SandboxRecord before, String credential) {
        requireSettled(before);
        return entrust(before, Grants.with(before, credential));
    }

    /** In whatever state it is: it must be possible to take it from all. */
    SandboxRecord revoke(SandboxRecord before, String credential) {
        return entrust(before, Grants.without(before, credential));
    }

    private SandboxRecord entrust(SandboxRecord before, Set<String> credentials) {
        if (credentials.equals(before.credentials())) {
            return before;
        }
        SandboxRecord next = before.entrusted(credentials);
        ledger.update(next);
        construction.govern(next);
        roster.revise(next); // commands from now on have other variables
        return next;
    }

    /** What a sandbox may reach; {@code conflict} if it has no network. */
    static Policy policy(SandboxRecord record) {
        return record.network().orElseThrow(() -> new SandglassException(
                ErrorCode.CONFLICT,
                "The sandbox " + record.name() + " has no network, so there is nothing to allow or deny.",
                "A sandbox gets one when it is made: `sandglass create --network open`, or --allow for what it is to reach."));
    }

    /** Writes the change, then puts it in force; what cannot be put in force is taken back, and said. */
    SandboxRecord apply(SandboxRecord before, SandboxRecord next) {
        requireSettled(before);
        if (next.limits().diskBytes() < before.limits().diskBytes()) { // else what a snapshot shares may be more than there was room for
            construction.requireRoomFor(next);
        }
        ledger.update(next);
        Failpoint.UPDATE_RECORDED.reach();
        try {
            construction.enforce(next);
        } catch (RuntimeException problem) {
            undo(before, next, problem);
            throw problem;
        }
        Failpoint.UPDATE_ENFORCED.reach();
        roster.revise(next);
        return next;
    }

    private static void requireSettled(SandboxRecord before) {
        switch (before.state()) {
            case SandboxState.Running _, SandboxState.Stopped _, SandboxState.Failed _, SandboxState.Paused _ -> {}
            case SandboxState.Creating(),
                    SandboxState.Starting(),
                    SandboxState.Stopping(),
                    SandboxState.Resuming _,
                    SandboxState.Destroying _,
                    SandboxState.Destroyed _ ->
                throw new SandglassException(
                        ErrorCode.CONFLICT,
                        "The sandbox " + before.name() + " is " + before.state().text() + " and cannot be changed.",
                        "Try again when it runs or is stopped.");
        }
    }

    private void undo(SandboxRecord before, SandboxRecord next, RuntimeException cause) {
        try {
            ledger.update(before.after(next));
            construction.enforce(before);
        } catch (RuntimeException problem) {
            LOG.error("The change of {} could not be taken back whole; it is settled at the next start", before.id(), problem);
            cause.addSuppressed(problem);
        }
    }
}
