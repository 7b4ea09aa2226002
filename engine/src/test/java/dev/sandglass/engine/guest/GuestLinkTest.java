package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.guest.FileRequest.Operation;
import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The daemon's side of the protocol against the real agent. */
@Timeout(120)
class GuestLinkTest {
    @TempDir
    private Path directory;

    private RealAgent agent;
    private GuestLink link;

    @BeforeEach
    void startIt() throws IOException, InterruptedException {
        agent = new RealAgent(directory);
        link = agent.link();
    }

    @AfterEach
    void stopIt() {
        link.close();
        agent.close();
    }

    @Test
    void givesUpAFileOperationThatStandsStill() throws InterruptedException {
        FileRequest request = new FileRequest(Operation.WRITE, directory.resolve("waits").toString()).flags(8).mode(0644);
        try (GuestFile file = link.file(request).patience(Duration.ofMillis(300))) {
            assertThatThrownBy(file::record) // it waits for its input
                    .isInstanceOfSatisfying(
                            SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.GUEST_TIMEOUT));
        }
        assertThat(directory.resolve("waits")).doesNotExist();
        assertThat(run(RealAgent.command("true")).exit.status()).as("the link goes on").isZero();
    }

    @Test
    void runsACommandAndTellsItsOutputAndStatus() throws InterruptedException {
        Result result = run(RealAgent.command("sh", "-c", "echo out; echo err >&2; echo $FROM_SETTINGS; exit 7"));
        assertThat(result.stdout).isEqualTo("out\nyes\n");
        assertThat(result.stderr).isEqualTo("err\n");
        assertThat(result.exit.status()).isEqualTo(7);
    }

    @Test
    void feedsStandardInputWithBackPressure() throws InterruptedException {
        GuestReader reader = link.startAttached(RealAgent.command("sha256sum"));
        GuestStream stream = reader.stream();
        byte[] block = new byte[1 << 20];
        for (int i = 0; i < 20; i++) {
            stream.write(block, 0, block.length);
        }
        stream.end();
        assertThat(collect(reader).stdout).startsWith("cd52d81e25f372e6fa4db2c0dfceb59862c1969cab17096da352b34950c973cc");
    }

    @Test
    void saysWhyAProgramCannotRun() {
        refused(ErrorCode.PROGRAM_NOT_FOUND, RealAgent.command("/no/such/program"));
        refused(ErrorCode.COMMAND_REFUSED, RealAgent.command("/etc/passwd"));
        refused(ErrorCode.INVALID_REQUEST, with("nobody-of-that-name", Optional.empty()));
        refused(ErrorCode.COMMAND_REFUSED, with("root", Optional.of("/no/such/directory")));
    }

    private static CommandStart with(String user, Optional<String> cwd) {
        return new CommandStart(
                new CommandFacts(List.of("true"), cwd, Optional.of(user), false), Map.of(), Optional.empty(), false, false, Optional.empty());
    }

    private void refused(ErrorCode code, CommandStart start) {
        assertThatThrownBy(() -> link.start(start))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(code));
    }

    @Test
    void aSlowReaderOfOneCommandStallsNoOther() throws InterruptedException {
        GuestReader noisy = link.startAttached(RealAgent.command("sh", "-c", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"));
        for (int i = 0; i < 50; i++) {
            assertThat(run(RealAgent.command("echo", "quick")).stdout).isEqualTo("quick\n");
        }
        assertThat(noisy.next()).as("its output is still all there").isInstanceOf(GuestEvent.Output.class);
        noisy.stream().signal(9);
        assertThat(collect(noisy).exit.status()).isEqualTo(-9);
    }

    @Test
    void losesNothingOfALongOutput() throws InterruptedException {
        Result result = collect(link.startAttached(RealAgent.command("sh", "-c", "seq 1 1000000")));
        assertThat(result.stdout.lines().count()).isEqualTo(1_000_000);
        assertThat(result.stdout).endsWith("999999\n1000000\n");
    }

    @Test
    void runsManyCommandsAtOnce() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Result>> results = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                String text = "number " + i;
                results.add(threads.submit(() -> run(RealAgent.command("echo", text))));
            }
            for (int i = 0; i < 200; i++) {
                assertThat(results.get(i).get().stdout).isEqualTo("number " + i + "\n");
            }
        }
    }

    @Test
    void aNewDaemonFindsRunningCommandsAndTheirTail() throws IOException, InterruptedException {
        GuestStream first = link.start(RealAgent.command("sh", "-c", "echo before; read line; echo got $line; sleep 1000")).stream();
        GuestStream finished = link.start(RealAgent.leftAlone("sh", "-c", "echo done; exit 3")).stream();
        finished.awaitExit(Duration.ofSeconds(30));
        link.close(); // as when the daemon dies: nothing is said to the agent
        link = agent.link();
        assertThat(link.commands()).hasSize(2);
        GuestCommand adopted = link.command(first.number()).orElseThrow();
        assertThat(adopted.facts().argv()).startsWith("sh", "-c");
        adopted.stream().write("hello\n".getBytes(StandardCharsets.UTF_8), 0, 6);
        GuestReader reader = adopted.stream().attach(0);
        StringBuilder seen = new StringBuilder();
        while (!seen.toString().equals("before\ngot hello\n")) {
            GuestEvent.Output output = (GuestEvent.Output) reader.next();
            seen.append(StandardCharsets.UTF_8.decode(output.bytes().duplicate()));
        }
        GuestStream ended = link.command(finished.number()).orElseThrow().stream();
        Result result = collect(ended.attach(0));
        assertThat(result.stdout).isEqualTo("done\n");
        assertThat(result.exit.status()).isEqualTo(3);
        adopted.stream().signal(9);
    }

    @Test
    void aNewDaemonFindsItsWayFromTheMiddleOfAFrame() throws IOException, InterruptedException {
        GuestReader noisy = link.startAttached(RealAgent.command("sh", "-c", "while :; do echo yyyyyyyyyyyyyyyyyyyyy; done"));
        noisy.next();
        link.close();
        try (GuestChannel thief = agent.channel()) {
            thief.fromGuest().read(ByteBuffer.allocate(1013)); // what a daemon had read when it died
        }
        link = agent.link();
        GuestStream again = link.command(noisy.stream().number()).orElseThrow().stream();
        assertThat(again.attach(0).next()).isInstanceOf(GuestEvent.Output.class);
        again.signal(9);
    }

    @Test
    void tellsWhereTheOutputEnds() throws InterruptedException {
        GuestStream stream = link.start(RealAgent.command("sh", "-c", "echo 1234567; exec sleep 1000")).stream();
        while (stream.endOffset() < 8) {
            Thread.onSpinWait();
        }
        assertThat(stream.endOffset()).isEqualTo(8);
        stream.signal(9);
    }

    @Test
    void readersReadBesideEachOther() throws InterruptedException {
        GuestStream stream = link.start(RealAgent.command("sh", "-c", "echo first; exec cat")).stream();
        GuestReader one = stream.attach(0);
        assertThat(text(one.next())).isEqualTo("first\n");
        GuestReader two = stream.attach(0);
        GuestReader late = stream.attach(2);
        assertThat(text(two.next())).isEqualTo("first\n");
        assertThat(text(late.next())).isEqualTo("rst\n");
        stream.write("more".getBytes(StandardCharsets.UTF_8), 0, 4);
        late.close();
        stream.end();
        for (GuestReader reader : List.of(one, two)) {
            Result result = collect(reader);
            assertThat(result.stdout).isEqualTo("more");
            assertThat(result.exit.status()).isZero();
        }
        assertThat(late.next()).isEqualTo(new GuestEvent.Closed());
    }

    @Test
    void readersThatComeAndGoLoseNothingForOthers() throws Exception {
        GuestStream stream = link.start(RealAgent.command("sh", "-c", "seq 1 1000000")).stream();
        GuestReader all = stream.attach(0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Result> whole = threads.submit(() -> collect(all));
            int visits = 0;
            while (!whole.isDone() && visits++ < 200) {
                try (GuestReader visitor = stream.attach(0)) {
                    visitor.next();
                }
            }
            String expected = IntStream.rangeClosed(1, 1_000_000).mapToObj(Integer::toString).collect(Collectors.joining("\n", "", "\n"));
            assertThat(whole.get().stdout.equals(expected)).as("every byte once").isTrue();
        }
    }

    @Test
    void aReaderThatTakesNothingHoldsUpOthersForAMomentOnly() throws InterruptedException {
        GuestStream stream = link.start(RealAgent.command("sh", "-c", "read go; seq 1 1000000")).stream();
        GuestReader idle = stream.attach(0);
        GuestReader keen = stream.attach(0);
        stream.end(); // both are there before anything is written
        assertThat(collect(keen).stdout).endsWith("999999\n1000000\n").hasSize(6_888_896);
        Result late = collect(idle);
        assertThat(late.stdout.length()).as("what it was given before it was left behind").isLessThan(6_888_896);
        assertThat(late.exit.status()).as("it is told the end").isZero();
    }

    @Test
    void aReaderThatReadsSlowlyLosesNothing() throws Exception {
        GuestStream stream = link.start(RealAgent.command("sh", "-c", "read go; seq 1 200000")).stream();
        GuestReader slow = stream.attach(0);
        GuestReader keen = stream.attach(0);
        stream.end();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Result> whole = threads.submit(() -> collect(keen));
            StringBuilder start = new StringBuilder();
            for (long end = System.nanoTime() + GuestOutput.LAG.toNanos() * 3 / 2; System.nanoTime() < end; ) {
                start.append(text(slow.next()));
                Thread.sleep(500); // the pace of somebody who reads slowly
            }
            assertThat(start + collect(slow).stdout).hasSize(1_288_895).endsWith("199999\n200000\n");
            assertThat(whole.get().stdout).hasSize(1_288_895);
        }
    }

    @Test
    void aReaderThatCannotComeChangesNothingForOthers() throws InterruptedException {
        GuestStream stream = link.start(RealAgent.command("sh", "-c", "echo first; exec cat")).stream();
        GuestReader reader = stream.attach(0);
        assertThat(text(reader.next())).isEqualTo("first\n");
        for (int i = 0; i < 2 * GuestOutput.MOST_READERS; i++) {
            attachInterrupted(stream);
        }
        stream.attach(0).close();
        stream.write("more".getBytes(StandardCharsets.UTF_8), 0, 4);
        stream.end();
        assertThat(collect(reader).stdout).isEqualTo("more");
    }

    @Test
    void aCommandGoesOnWhenItsOnlyReaderLeavesInterrupted() throws InterruptedException {
        GuestStream stream = link.start(RealAgent.command("sh", "-c", "seq 1 1000000")).stream();
        GuestReader reader = stream.attach(0);
        reader.next();
        Thread.currentThread().interrupt();
        reader.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(stream.awaitExit(Duration.ofSeconds(60))).isNotNull();
    }

    @Test
    void aHeldCommandGoesOnWhenItsFirstReaderCannotCome() throws InterruptedException {
        GuestStream stream = link.start(RealAgent.command("sh", "-c", "seq 1 1000000")).stream();
        attachInterrupted(stream);
        assertThat(stream.awaitExit(Duration.ofSeconds(60))).isNotNull();
    }

    private static void attachInterrupted(GuestStream stream) {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> stream.attach(0))
                    .isInstanceOfSatisfying(
                            SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.SHUTTING_DOWN));
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aStartThatIsInterruptedAnywhereLeavesNoCommand() throws InterruptedException {
        Random random = new Random(11);
        for (int i = 0; i < 400; i++) {
            Thread starter = Thread.ofPlatform().start(() -> {
                try {
                    link.startAttached(RealAgent.command("cat")).stream().abandon();
                } catch (SandglassException | InterruptedException stopped) {
                    return;
                }
            });
            for (long end = System.nanoTime() + random.nextInt(300_000); System.nanoTime() < end; ) {
                Thread.onSpinWait();
            }
            starter.interrupt();
            starter.join();
        }
        assertThat(link.commands()).isEmpty();
    }

    @Test
    void whoeverReadsAForgottenCommandIsTold() throws Exception {
        GuestStream stream = link.start(RealAgent.command("echo", "text")).stream();
        GuestReader waiting = stream.attach(0);
        assertThat(collect(waiting).stdout).isEqualTo("text\n");
        GuestReader late = stream.attach(0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<GuestEvent> next = threads.submit(() -> waiting.next());
            await().until(late::hasNext);
            stream.close();
            assertThatThrownBy(next::get).rootCause().isInstanceOfSatisfying(SandglassException.class, GuestLinkTest::isNotFound);
        }
        assertThat(text(late.next())).as("what had come").isEqualTo("text\n");
        assertThatThrownBy(() -> stream.attach(0)).isInstanceOfSatisfying(SandglassException.class, GuestLinkTest::isNotFound);
    }

    private static void isNotFound(SandglassException problem) {
        assertThat(problem.code()).isEqualTo(ErrorCode.COMMAND_NOT_FOUND);
    }

    @Test
    void whoBeginsBehindTheEndBeginsAtTheEnd() throws InterruptedException {
        GuestStream stream = link.start(RealAgent.command("sh", "-c", "echo first; exec cat")).stream();
        while (stream.endOffset() < 6) {
            Thread.onSpinWait();
        }
        GuestReader reader = stream.attach(1L << 40);
        stream.write("more".getBytes(StandardCharsets.UTF_8), 0, 4);
        stream.end();
        assertThat(collect(reader).stdout).isEqualTo("more");
    }

    @Test
    void outputThatNobodyNeedsHoldsUpNobody() throws Exception {
        GuestStream stream = link.start(RealAgent.command("sh", "-c", "seq 1 100000; exec cat")).stream();
        GuestReader reader = stream.attach(0);
        for (int seen = 0; seen < 588_895; ) {
            seen += text(reader.next()).length();
        }
        long began = System.nanoTime();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 15; i++) {
                Future<GuestEvent> next = threads.submit(() -> reader.next());
                stream.attach(0).close(); // for this one all that is kept is sent again
                stream.write("x".getBytes(StandardCharsets.UTF_8), 0, 1);
                assertThat(text(next.get())).isEqualTo("x");
            }
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(GuestOutput.LAG.multipliedBy(10));
        stream.end();
    }

    @Test
    void readersThatCatchUpLoseNothingToThoseWhoCome() throws Exception {
        String bursts = "i=0; while [ $i -lt 80 ]; do seq 1 20000; i=$((i+1)); sleep 0.02; done";
        GuestStream stream = link.start(RealAgent.command("sh", "-c", bursts)).stream();
        GuestReader all = stream.attach(0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Result> whole = threads.submit(() -> collect(all));
            List<Future<Integer>> visitors = IntStream.range(0, 4).mapToObj(_ -> threads.submit(() -> visit(stream, whole))).toList();
            for (Future<Integer> visitor : visitors) {
                assertThat(visitor.get()).isPositive();
            }
            assertThat(whole.get().stdout).hasSize(80 * 108_894);
        }
    }

    /** Comes and goes until the command has ended; nothing may be missing once it has begun to read. */
    private static int visit(GuestStream stream, Future<?> whole) throws InterruptedException {
        int visits = 0;
        for (; !whole.isDone(); visits++) {
            try (GuestReader reader = stream.attach(0)) {
                long position = -1;
                for (int seen = 0; seen < 400_000 && reader.next() instanceof GuestEvent.Output output; ) {
                    assertThat(output.offset()).isEqualTo(position < 0 ? output.offset() : position);
                    position = output.offset() + output.bytes().remaining();
                    seen += output.bytes().remaining();
                }
            }
        }
        return visits;
    }

    @Test
    void thereAreOnlySoManyReaders() throws InterruptedException {
        GuestStream stream = link.start(RealAgent.command("cat")).stream();
        for (int i = 0; i < GuestOutput.MOST_READERS; i++) {
            stream.attach(0);
        }
        assertThatThrownBy(() -> stream.attach(0))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.LIMIT_REACHED));
        stream.end();
        assertThat(stream.awaitExit(Duration.ofSeconds(60))).isNotNull();
    }

    private static String text(GuestEvent event) {
        return StandardCharsets.UTF_8.decode(((GuestEvent.Output) event).bytes().duplicate()).toString();
    }

    @Test
    void movesFilesOfAnySize() throws IOException {
        byte[] content = new byte[33_333_333];
        new Random(7).nextBytes(content);
        String path = directory.resolve("deep/er/file").toString();
        try (GuestFile write = link.file(new FileRequest(Operation.WRITE, path).flags(9).mode(0640))) {
            write.sendAll(new ByteArrayInputStream(content));
            FieldReader entry = write.record();
            assertThat(entry.number(6)).isEqualTo(content.length);
            assertThat(entry.number(3)).isEqualTo(0640);
        }
        try (GuestFile read = link.file(new FileRequest(Operation.READ, path))) {
            assertThat(read.record().number(6)).isEqualTo(content.length);
            assertThat(read.readAllBytes()).isEqualTo(content);
        }
    }

    @Test
    void aCancelledReadLeavesTheLinkUsable() throws IOException, InterruptedException {
        try (GuestFile read = link.file(new FileRequest(Operation.READ, "/proc/self/exe"))) {
            read.record();
        }
        assertThat(run(RealAgent.command("echo", "fine")).stdout).isEqualTo("fine\n");
    }

    @Test
    void saysWhatIsWrongWithAFile() {
        assertThatThrownBy(() -> link.file(new FileRequest(Operation.STAT, "/no/such/file")).record())
                .isInstanceOfSatisfying(
                        SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.PATH_NOT_FOUND));
    }

    private record Result(String stdout, String stderr, GuestExit exit) {}

    private Result run(CommandStart start) throws InterruptedException {
        GuestReader reader = link.startAttached(start);
        Result result = collect(reader);
        reader.stream().close();
        return result;
    }

    private static Result collect(GuestReader reader) throws InterruptedException {
        ByteArrayOutputStream[] outputs = {new ByteArrayOutputStream(), new ByteArrayOutputStream()};
        while (true) {
            switch (reader.next()) {
                case GuestEvent.Output output -> {
                    byte[] bytes = new byte[output.bytes().remaining()];
                    output.bytes().duplicate().get(bytes);
                    outputs[output.kind() - 1].writeBytes(bytes);
                }
                case GuestEvent.Ended(GuestExit exit) -> {
                    return new Result(
                            outputs[0].toString(StandardCharsets.UTF_8), outputs[1].toString(StandardCharsets.UTF_8), exit);
                }
                case GuestEvent.Eof _, GuestEvent.Refused _, GuestEvent.Closed _ -> throw new AssertionError("unexpected");
            }
        }
    }
}
