package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.Snapshot;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program counts in its memory, in a synced file and in a database with a write-ahead log, and is captured at random instants: all three are always of one moment. */
@OnEveryRuntime
@Timeout(7200)
class MomentTest {
    private static final int INSTANTS = Integer.getInteger("sandglass.instants", Soak.on() ? 200 : 8);
    private static final int AT_MOST_APART_MILLIS = 150;
    /** It looks at what it wrote before it writes on, so it finds out when its disk is not that of its memory. The database is told of what the file has. */
    private static final String COUNTER =
            """
            import os, sqlite3
            os.chdir('/workspace')
            base = sqlite3.connect('base', isolation_level=None)
            mode = base.execute('PRAGMA journal_mode=WAL').fetchone()[0]
            base.execute('PRAGMA synchronous=FULL')
            base.execute('CREATE TABLE count (n INTEGER PRIMARY KEY)')
            n = 0
            print(mode, flush=True)
            while True:
                n += 1
                with open('new', 'w') as file:
                    file.write(str(n))
                    file.flush()
                    os.fsync(file.fileno())
                os.rename('new', 'n')
                base.execute('INSERT INTO count VALUES (?)', (n,))
                if n % 100 == 0:
                    base.execute('PRAGMA wal_checkpoint(PASSIVE)')
                last, rows = base.execute('SELECT MAX(n), COUNT(*) FROM count').fetchone()
                found = int(open('n').read())
                if not (found == last == rows == n):
                    print('MISMATCH memory', n, 'file', found, 'database', last, rows, flush=True)
                    os._exit(1)
            """;
    /** What somebody sees who comes later: the file's number, then the database's, its rows, and whether it is sound. */
    private static final String LOOK =
            """
            import sqlite3
            file = int(open('/workspace/n').read())
            base = sqlite3.connect('/workspace/base', timeout=60)
            print(file, *base.execute('SELECT MAX(n), COUNT(*) FROM count').fetchone(), base.execute('PRAGMA integrity_check').fetchone()[0])
            """;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;
    private final long seed = Long.getLong("sandglass.seed", System.nanoTime());
    private final Random random = new Random(seed);

    MomentTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void memoryFileAndDatabaseAreOfOneMoment() throws InterruptedException {
        CapturedMemory.assumeOn(runtime);
        System.out.println("Instants of a program: " + INSTANTS + ", -Dsandglass.seed=" + seed);
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Command counting = counting(source);
            for (int i = 0; i < INSTANTS; i++) {
                Thread.sleep(random.nextInt(AT_MOST_APART_MILLIS)); // any instant
                Snapshot snapshot = daemon.api().captureAll(source.id());
                assertThat(snapshot.kind()).isEqualTo("full");
                try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()))) {
                    goesOn(copy, counting);
                } finally {
                    daemon.api().deleteSnapshot(snapshot.id());
                }
            }
            goesOn(source, counting);
        }
    }

    @Test
    void fileAndDatabaseAreOfOneMoment() throws InterruptedException {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Command counting = counting(source);
            for (int i = 0; i < INSTANTS; i++) {
                Thread.sleep(random.nextInt(AT_MOST_APART_MILLIS)); // any instant
                Snapshot snapshot = daemon.api().capture(source.id(), null);
                try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()).memoryMb(256))) {
                    Seen seen = Seen.in(copy);
                    assertThat(seen.file - seen.last).as("%s (-Dsandglass.seed=%s)", seen, seed).isBetween(0L, 1L);
                } finally {
                    daemon.api().deleteSnapshot(snapshot.id());
                }
            }
            goesOn(source, counting);
        }
    }

    private static Command counting(TestSandbox box) {
        Command counting = box.start(Run.python(COUNTER));
        Eventually.get(() -> box.output("cat /workspace/n 2>/dev/null || true"), text -> !text.isEmpty());
        assertThat(box.said(counting)).isEqualTo("wal\n");
        return counting;
    }

    /** It has counted on, has found nothing wrong, and neither does anybody else. */
    private void goesOn(TestSandbox box, Command counting) {
        long now = Long.parseLong(box.output("cat /workspace/n"));
        Eventually.get(() -> Long.parseLong(box.output("cat /workspace/n")) > now + 3 || !isRunning(box, counting), done -> done);
        assertThat(isRunning(box, counting)).as("%s (-Dsandglass.seed=%s)", box.said(counting), seed).isTrue();
        Seen.in(box);
    }

    private static boolean isRunning(TestSandbox box, Command counting) {
        return box.command(counting.id()).state().equals("running");
    }

    private record Seen(long file, long last, long rows) {
        static Seen in(TestSandbox box) {
            String[] words = box.output(Run.python(LOOK)).split(" ", 4);
            Seen seen = new Seen(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
            assertThat(words[3]).as("the database, at %s", seen).isEqualTo("ok");
            assertThat(seen.rows).as("nothing is missing: %s", seen).isEqualTo(seen.last);
            return seen;
        }
    }
}
