package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteCommitListener;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.TransactionMode;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;

/** Work that waits goes to the disk together, and each piece of it stands or falls by itself. */
class ConnectionTest {
    @TempDir
    Path directory;

    private final AtomicInteger commits = new AtomicInteger();
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setTransactionMode(TransactionMode.IMMEDIATE);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + directory.resolve("test.db"));
        Handle handle = Jdbi.open(source);
        handle.execute("CREATE TABLE number (value BIGINT PRIMARY KEY)");
        handle.getConnection().unwrap(SQLiteConnection.class).addCommitListener(new SQLiteCommitListener() {
            @Override
            public void onCommit() {
                commits.incrementAndGet();
            }

            @Override
            public void onRollback() {}
        });
        connection = new Connection("test", handle, Connection.MANY);
    }

    @AfterEach
    void close() {
        connection.close();
    }

    private static Function<Handle, Integer> insert(int value) {
        return handle -> insert(handle, value);
    }

    private static int insert(Handle handle, int value) {
        return handle.execute("INSERT INTO number (value) VALUES (?)", value);
    }

    private List<Integer> numbers() {
        return connection.transact(handle -> handle.createQuery("SELECT value FROM number ORDER BY value").mapTo(Integer.class).list());
    }

    /** Has all of the work wait for the same moment. */
    private List<CompletableFuture<Integer>> atOnce(List<Function<Handle, Integer>> work) {
        CountDownLatch allWait = new CountDownLatch(1);
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> connection.transact(_ -> await(allWait)), Thread::startVirtualThread);
        Awaitility.await().until(() -> connection.waiting() == 0 && !first.isDone());
        List<CompletableFuture<Integer>> outcomes = new ArrayList<>();
        for (Function<Handle, Integer> each : work) {
            outcomes.add(CompletableFuture.supplyAsync(() -> connection.transact(each), Thread::startVirtualThread));
        }
        Awaitility.await().until(() -> connection.waiting() == work.size());
        commits.set(0);
        allWait.countDown();
        first.join();
        return outcomes;
    }

    private static int await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
            return 0;
        } catch (InterruptedException problem) {
            throw new AssertionError(problem);
        }
    }

    private static void fails(CompletableFuture<?> outcome, ErrorCode code) {
        assertThat(outcome)
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(code));
    }

    @Test
    void whatWaitsTakesOneWayToTheDisk() {
        List<Function<Handle, Integer>> work = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            work.add(insert(i));
        }
        assertThat(atOnce(work)).allSatisfy(outcome -> assertThat(outcome.join()).isEqualTo(1));
        assertThat(commits).as("that of the work which all waited for, and one for all of them; the driver tells of each twice").hasValueLessThanOrEqualTo(4);
        assertThat(numbers()).hasSize(40);
    }

    @Test
    void whoIsRefusedLeavesNothingAndTheOthersStay() {
        List<CompletableFuture<Integer>> outcomes = atOnce(List.of(
                insert(1),
                handle -> {
                    insert(handle, 2);
                    throw new SandglassException(ErrorCode.NAME_TAKEN, "taken", "none");
                },
                insert(3)));
        outcomes.get(0).join();
        outcomes.get(2).join();
        fails(outcomes.get(1), ErrorCode.NAME_TAKEN);
        assertThat(numbers()).containsExactly(1, 3);
    }

    @Test
    void whoBreaksTheTransactionBreaksItForNobodyElse() {
        List<CompletableFuture<Integer>> outcomes = atOnce(List.of(
                insert(1),
                insert(1),
                handle -> {
                    insert(handle, 2);
                    return handle.execute("ROLLBACK"); // as a full disk does
                },
                insert(3)));
        assertThat(outcomes.get(0).join()).isEqualTo(1);
        assertThat(outcomes.get(3).join()).isEqualTo(1);
        fails(outcomes.get(1), ErrorCode.LEDGER_FAILED);
        fails(outcomes.get(2), ErrorCode.LEDGER_FAILED);
        assertThat(numbers()).containsExactly(1, 3);
    }

    @Test
    void onlyWhatTheHostMayForgetIsNotSynced() {
        connection.transactUnsynced(insert(1));
        assertThat(synchronous()).isEqualTo(2);
        connection.transactUnsynced(insert(2));
        assertThat(connection.transactUnsynced(ConnectionTest::mode)).isEqualTo(1);
    }

    private int synchronous() {
        return connection.transact(ConnectionTest::mode);
    }

    private static int mode(Handle handle) {
        return handle.createQuery("PRAGMA synchronous").mapTo(Integer.class).one();
    }
}
