package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/**
 * A sandbox takes all that it can get of one thing. Meanwhile its neighbour and the API answer, what happened is told as such,
 * and it can be destroyed in the middle of it. The times that these took are printed.
 */
@OnEveryRuntime
class ExhaustionTest {
    /** The promise is five seconds on a machine that has nothing else to do. */
    private static final Duration DESTROY = Duration.ofSeconds(60);

    private static final long LOUD = Soak.on() ? 10L << 30 : 200L << 20;
    private static final long BOMB = 200;
    private static final int CROWD = Soak.on() ? 1000 : 100;

    private final Api api = SharedDaemon.api();
    private final String runtime;
    private final Neighbourhood neighbourhood;

    ExhaustionTest(String runtime) {
        this.runtime = runtime;
        this.neighbourhood = Neighbourhood.of(SharedDaemon.sandbox(runtime));
    }

    @AfterEach
    void theNeighbourhoodIsWell(TestInfo test) throws InterruptedException {
        neighbourhood.mustAnswer();
        neighbourhood.end();
        System.out.printf("%s on %s: slowest answer next door %d ms%n", test.getDisplayName(), runtime, neighbourhood.slowest().toMillis());
    }

    private void destroy(TestSandbox box) throws IOException {
        long begin = System.nanoTime();
        box.close();
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        System.out.printf("destroyed on %s in %d ms%n", runtime, took.toMillis());
        assertThat(took).isLessThan(DESTROY);
        assertThat(Leftovers.of(SharedDaemon.daemon()).of(box.id())).isEmpty();
    }

    @Test
    void aForkBomb() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime).processes(BOMB));
        box.start(Run.of("bash", "-c", "trap '' TERM HUP; b() { b | b & }; b; sleep 600"));
        Run second = Run.python("""
                import os, signal
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                while True:
                    try:
                        if os.fork() == 0: os.setsid()
                    except OSError: pass
                """);
        try {
            box.start(second);
        } catch (SandglassException tooLate) {
            assertThat(tooLate.what()).contains("cannot make a process"); // the first one was quick
        }
        Eventually.get(() -> runningOrRefused(box), what -> what >= BOMB * 9 / 10);
        neighbourhood.mustAnswer();
        destroy(box);
    }

    /** How many processes it has. Where the limit stops the count itself (a gVisor agent is above it), the refusal says so. */
    private static long runningOrRefused(TestSandbox box) {
        try {
            return Long.parseLong(box.output("ls /proc | grep -c '^[0-9]'"));
        } catch (SandglassException refusal) {
            assertThat(refusal.code()).isIn(ErrorCode.LIMIT_REACHED, ErrorCode.SANDBOX_NOT_RUNNING);
            return BOMB;
        } catch (AssertionError theShellCouldNotFork) {
            return BOMB;
        }
    }

    /** Many small ones instead of a large one; as a shell does it, the command says that one of its own was killed. */
    @Test
    void memoryTakenByManyProcesses() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime).memoryMb(256));
        Command hungry = box.start(Run.python("""
                import os, time, sys
                for _ in range(60):
                    if os.fork() == 0:
                        held = bytearray(os.urandom(1 << 20) * 16)
                        time.sleep(600)
                sys.exit(128 + (os.wait()[1] & 127))
                """));
        neighbourhood.mustAnswer();
        assertThat(Eventually.get(() -> told(box, hungry), text -> !text.isEmpty())).isEqualTo("oom");
        neighbourhood.mustAnswer();
        destroy(box);
    }

    /** Why the sandbox or the command ended; nothing while both go on. */
    private static String told(TestSandbox box, Command command) {
        Sandbox now = box.now();
        if (!now.state().equals("running")) {
            return now.state() + " " + now.reason();
        }
        Exit exit = box.command(command.id()).exit();
        return exit == null ? "" : String.valueOf(exit.reason());
    }

    @Test
    void filesInMemory() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime).memoryMb(256));
        List<String> mounts = runtime.equals("gvisor") ? List.of("/dev/shm", "/run", "/tmp") : List.of("/dev/shm", "/run");
        for (String mount : mounts) {
            CommandResult full = box.run(Run.shell("head -c 200M /dev/zero > " + mount + "/big; status=$?; rm " + mount + "/big; exit $status"));
            assertThat(full.stderr()).as(mount).contains("No space left on device");
        }
        assertThat(box.output("echo alive")).as("each alone fits into the memory").isEqualTo("alive");
        neighbourhood.mustAnswer();
        box.start(Run.shell(mounts.stream().map(mount -> "head -c 200M /dev/zero > " + mount + "/big").collect(Collectors.joining(";")) + "; exec python3 -c 'bytearray(1 << 28)'"));
        neighbourhood.mustAnswer();
        destroy(box);
    }

    @Test
    void theDisk() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime).diskMb(64));
        assertThat(box.run(Run.shell("cat /dev/urandom > /workspace/big").as("user")).stderr()).containsPattern("(?i)no space|quota");
        refused(ErrorCode.DISK_FULL, () -> box.files().write("/workspace/more", "", BodyPublishers.ofByteArray(Bodies.random(1, 1 << 20))));
        neighbourhood.mustAnswer();
        SharedDaemon.sandbox(runtime).output("head -c 32M /dev/urandom > /workspace/room && rm /workspace/room");
        destroy(box);
    }

    @Test
    void filesWithoutContent() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime).diskMb(16));
        String made = box.output(Run.python("""
                import os
                made = 0
                try:
                    for directory in range(1000):
                        os.mkdir(f'/workspace/{directory}')
                        for name in range(1000):
                            os.close(os.open(f'/workspace/{directory}/{name}' + 'x' * 200, os.O_CREAT | os.O_WRONLY))
                            made += 1
                except OSError as refused:
                    print(made, refused.strerror)
                """));
        System.out.printf("files without content on %s: %s%n", runtime, made);
        assertThat(made).containsPattern("(?i)no space|quota");
        neighbourhood.mustAnswer();
        destroy(box);
    }

    @Test
    void descriptors() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime));
        Command greedy = box.start(Run.python("""
                import os, time
                for _ in range(3):
                    if os.fork() == 0: break
                held = []
                try:
                    while len(held) < 50000: held += os.pipe(); held.append(os.open('/etc/passwd', os.O_RDONLY))
                except OSError as refused: print(refused.strerror, flush=True)
                time.sleep(600)
                """));
        Eventually.get(() -> Following.text(box.kept(greedy), "stdout").lines().count(), count -> count == 4);
        assertThat(Following.text(box.kept(greedy), "stdout").lines()).allMatch(line -> line.startsWith("Too many open files"));
        assertThat(box.output("cat /etc/hostname")).as("others inside have theirs").isNotEmpty();
        neighbourhood.mustAnswer();
        destroy(box);
    }

    @Test
    @Timeout(1800)
    void outputThatNobodyReads() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime));
        Duration bound = bound(box);
        Command loud = box.start(loud(LOUD));
        neighbourhood.mustAnswer();
        assertThat(exit(box, loud).code()).isZero();
        assertThat(neighbourhood.slowest()).isLessThan(bound);
        List<OutputEvent> kept = box.kept(loud);
        assertThat(Following.text(kept, "stdout")).endsWith("over\n").hasSizeLessThanOrEqualTo(256 << 10);
        System.out.printf("written on %s: %d MB%n", runtime, kept.stream().mapToLong(ExhaustionTest::end).max().orElse(0) >> 20);
        CommandResult bounded = box.run(loud(LOUD / 4).outputLimit(1000));
        assertThat(bounded.stdoutTruncated()).isTrue();
        assertThat(bounded.stdout()).hasSize(1000);
        destroy(box);
    }

    /** Where the output of an event ends. */
    private static long end(OutputEvent event) {
        String data = event.data();
        Long offset = event.offset();
        return data == null || offset == null ? 0 : offset + Base64.getDecoder().decode(data).length;
    }

    /** Writes so much, or as much as it can in some minutes: gVisor writes 50 to 100 MB a second on one processor. */
    private static Run loud(long bytes) {
        return Run.shell("timeout 150 head -c " + bytes + " /dev/zero; echo over");
    }

    /**
     * How long an answer next door may take while this sandbox is loud. Output takes processor time, which the machine shares out, so it is measured
     * how long an answer takes beside one that takes all the processor time that it gets, in silence. What takes much longer beside a loud one
     * waits for something else: a lock, memory or a disk of the daemon's.
     */
    private Duration bound(TestSandbox box) {
        Command busy = box.start(Run.shell("(while :; do :; done) & while :; do :; done"));
        neighbourhood.forget();
        neighbourhood.mustAnswer(20);
        Duration beside = neighbourhood.slowest();
        box.signal(busy, "KILL");
        assertThat(box.await(busy).exit()).isNotNull();
        neighbourhood.forget();
        System.out.printf("beside a busy sandbox on %s: slowest answer next door %d ms%n", runtime, beside.toMillis());
        return Collections.max(List.of(beside.multipliedBy(20), Duration.ofSeconds(10)));
    }

    /** Ten gigabytes take longer than one request may. */
    private static Exit exit(TestSandbox box, Command command) {
        @Nullable Exit exit = null;
        while (exit == null) {
            exit = box.await(command).exit();
        }
        return exit;
    }

    /** It holds up its own command and nothing else; when it is gone, the command goes on. */
    @Test
    @Timeout(1800)
    void outputThatIsReadSlowly() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime));
        Duration bound = bound(box);
        Command loud = box.start(loud(LOUD));
        try (Following slow = box.follow(loud, 0)) {
            for (int i = 0; i < 20; i++) {
                assertThat(slow.next()).isPresent();
                assertThat(box.output("echo others go on")).isEqualTo("others go on");
            }
            neighbourhood.mustAnswer();
        }
        assertThat(exit(box, loud).code()).isZero();
        assertThat(neighbourhood.slowest()).isLessThan(bound);
        assertThat(Following.text(box.kept(loud), "stdout")).endsWith("over\n");
        destroy(box);
    }

    @Test
    void manyCommandsAtOnce() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime).memoryMb(4096).processes(4L * CROWD));
        Callable<String> one = () -> box.start(Run.of("sleep", "600")).id();
        assertThat(AtOnce.all(Collections.nCopies(CROWD, one))).doesNotHaveDuplicates();
        assertThat(box.commands()).hasSize(CROWD).allMatch(command -> command.state().equals("running"));
        assertThat(box.count("sleep 600")).isEqualTo(CROWD);
        neighbourhood.mustAnswer();
        destroy(box);
    }
}
