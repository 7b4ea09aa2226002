package dev.sandglass.ledger;

import dev.sandglass.wire.SandglassException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Work for a transaction, and what came of it. Used by the connection's thread, but for the outcome, which anybody may wait for. */
final class Job<T> {
    private static final String ITS_OWN = "job";

    private final Function<Handle, T> work;
    private final boolean synced;
    private final CompletableFuture<T> outcome = new CompletableFuture<>();
    private @Nullable T result;
    private @Nullable SandglassException refusal;

    /** @param synced whether it must be on the disk before anybody hears of it */
    Job(Function<Handle, T> work, boolean synced) {
        this.work = work;
        this.synced = synced;
    }

    boolean synced() {
        return synced;
    }

    Future<T> outcome() {
        return outcome;
    }

    /** Does the work; what it throws is for the transaction, which then is no more. */
    void work(Handle transaction) {
        refusal = null;
        result = work.apply(transaction);
    }

    /** Does the work beside that of others in one transaction: if it is refused, what it wrote is taken back and the others go on. */
    void attempt(Handle transaction) {
        transaction.savepoint(ITS_OWN);
        try {
            work(transaction);
        } catch (SandglassException refused) {
            transaction.rollbackToSavepoint(ITS_OWN);
            refusal = refused;
        }
        transaction.releaseSavepoint(ITS_OWN);
    }

    /** The transaction is done: whoever waits hears what came of it. */
    void tell() {
        if (refusal != null) {
            outcome.completeExceptionally(refusal);
        } else {
            outcome.complete(result);
        }
    }

    void fail(Throwable problem) {
        outcome.completeExceptionally(problem);
    }
}
