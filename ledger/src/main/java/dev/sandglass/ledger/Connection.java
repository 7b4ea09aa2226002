package dev.sandglass.ledger;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * A database connection and the one platform thread that uses it. Work that comes while other work is on its way to the disk goes there in one transaction with
 * all that came: the way costs what it costs, however much is taken along. Each piece of work is there whole or not at all, whatever becomes of the others.
 */
final class Connection implements AutoCloseable {
    /** For a writer. */
    static final int MANY = 64;

    private final Handle handle;
    private final int together;
    private final ExecutorService thread;
    private final Queue<Job<?>> waiting = new ConcurrentLinkedQueue<>();
    private boolean synced = true;

    /** @param together how many pieces of work share a transaction at most: one where nothing is written, so that nobody waits for what another reads */
    Connection(String name, Handle handle, int together) {
        this.handle = handle;
        this.together = together;
        this.thread = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /** Does the work in a transaction on the connection's thread, and waits until it is on the disk. The work may be done twice, of which the first is taken back. */
    <T> T transact(Function<Handle, T> work) {
        return done(new Job<>(work, true));
    }

    /**
     * The same without waiting for the disk: it is there for every daemon, but the host may forget it when it goes down within a moment. For what would be done
     * again then.
     */
    <T> T transactUnsynced(Function<Handle, T> work) {
        return done(new Job<>(work, false));
    }

    private <T> T done(Job<T> job) {
        waiting.add(job);
        thread.execute(this::takeAlong);
        try {
            return job.outcome().get();
        } catch (ExecutionException failed) {
            throw translate(failed.getCause() == null ? failed : failed.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
    }

    /** How much work nobody has begun yet. */
    int waiting() {
        return waiting.size();
    }

    /** Does what waits, which may be nothing: whoever was asked before has taken it along. */
    private void takeAlong() {
        List<Job<?>> jobs = new ArrayList<>();
        for (Job<?> next = waiting.peek(); next != null && jobs.size() < together; next = waiting.peek()) {
            jobs.add(waiting.remove());
        }
        if (!waiting.isEmpty()) {
            thread.execute(this::takeAlong);
        }
        if (jobs.size() < 2 || !doTogether(jobs)) {
            jobs.forEach(this::doAlone);
        }
    }

    /** False if it came to nothing: then each is to be done by itself, so that whoever cannot be helped hears of it and nobody else. */
    private boolean doTogether(List<Job<?>> jobs) {
        try {
            synchronous(jobs.stream().anyMatch(Job::synced));
            handle.useTransaction(transaction -> jobs.forEach(job -> job.attempt(transaction)));
        } catch (SQLException | RuntimeException broken) {
            return false;
        }
        jobs.forEach(Job::tell);
        return true;
    }

    private void doAlone(Job<?> job) {
        try {
            synchronous(job.synced());
            handle.useTransaction(job::work);
        } catch (Exception | Error problem) {
            job.fail(problem);
            return;
        }
        job.tell();
    }

    private void synchronous(boolean wanted) throws SQLException {
        if (synced != wanted) {
            try (Statement statement = handle.getConnection().createStatement()) {
                statement.execute("PRAGMA synchronous = " + (wanted ? "FULL" : "NORMAL"));
            }
            synced = wanted;
        }
    }

    static SandglassException translate(Throwable problem) {
        if (problem instanceof SandglassException ours) {
            return new SandglassException(ours.code(), ours.what(), ours.hint(), ours);
        }
        if (problem instanceof JdbiException && problem.getCause() instanceof SQLException sql) {
            return ofSql(sql);
        }
        return new SandglassException(ErrorCode.LEDGER_FAILED, "The ledger failed: " + problem, "See the daemon's log.", problem);
    }

    static SandglassException ofSql(SQLException problem) {
        SQLiteErrorCode code = problem instanceof SQLiteException sqlite ? sqlite.getResultCode() : SQLiteErrorCode.SQLITE_ERROR;
        return switch (code) {
            case SQLITE_FULL ->
                new SandglassException(
                        ErrorCode.DISK_FULL, "The ledger cannot be written: the disk is full.", "Make room on the data directory's disk.", problem);
            case SQLITE_CORRUPT, SQLITE_NOTADB ->
                new SandglassException(
                        ErrorCode.LEDGER_FAILED,
                        "The ledger is damaged: " + problem.getMessage(),
                        "Remove ledger.db-wal and ledger.db-shm, which would be played onto it, put ledger.db.backup, the copy made at the last good start,"
                                + " in the place of ledger.db, and start again.",
                        problem);
            default ->
                new SandglassException(
                        ErrorCode.LEDGER_FAILED,
                        "The ledger cannot be used: " + problem.getMessage(),
                        "Check the disk of the data directory and the daemon's log.",
                        problem);
        };
    }

    @Override
    public void close() {
        thread.submit(handle::close);
        thread.close();
    }
}
