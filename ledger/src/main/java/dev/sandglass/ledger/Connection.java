package dev.sandglass.ledger;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** A database connection and the one platform thread that uses it. */
final class Connection implements AutoCloseable {
    private final Handle handle;
    private final ExecutorService thread;

    Connection(String name, Handle handle) {
        this.handle = handle;
        this.thread = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /** Does the work in a transaction on the connection's thread, and waits for it. */
    <T> T transact(Function<Handle, T> work) {
        return onThread(() -> handle.inTransaction(work::apply));
    }

    /**
     * The same without waiting for the disk: it is there for every daemon, but the host may forget it when it goes down within a moment. For what would be done
     * again then.
     */
    <T> T transactUnsynced(Function<Handle, T> work) {
        return onThread(() -> {
            synchronous("NORMAL");
            try {
                return handle.inTransaction(work::apply);
            } finally {
                synchronous("FULL");
            }
        });
    }

    private void synchronous(String mode) throws SQLException {
        try (Statement statement = handle.getConnection().createStatement()) {
            statement.execute("PRAGMA synchronous = " + mode);
        }
    }

    private <T> T onThread(Callable<T> work) {
        try {
            return thread.submit(work).get();
        } catch (ExecutionException failed) {
            throw translate(failed.getCause() == null ? failed : failed.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
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
