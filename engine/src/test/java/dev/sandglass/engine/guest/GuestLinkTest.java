package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.guest.FileRequest.Operation;
import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The daemon's side of the protocol against the real agent. */
class GuestLinkTest extends LinkFixture {
    @Test
    void givesUpAFileOperationThatStandsStill() throws InterruptedException {
        FileRequest request = new FileRequest(Operation.WRITE, directory.resolve("waits").toString()).flags(8).mode(0644);
        try (GuestFile file = link.file(request).patience(Duration.ofMillis(300))) {
            assertThatThrownBy(file::record) // it waits for its input
                    .isInstanceOfSatisfying(
                            SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.GUEST_TIMEOUT));
        }
        assertThat(directory.resolve("waits")).doesNotExist();
        assertThat(run(RealAgent.command("true")).exit().status()).as("the link goes on").isZero();
    }

    @Test
    void runsACommandAndTellsItsOutputAndStatus() throws InterruptedException {
        Result result = run(RealAgent.command("sh", "-c", "echo out; echo err >&2; echo $FROM_SETTINGS; exit 7"));
        assertThat(result.stdout()).isEqualTo("out\nyes\n");
        assertThat(result.stderr()).isEqualTo("err\n");
        assertThat(result.exit().status()).isEqualTo(7);
    }

    @Test
    void feedsStandardInputWithBackPressure() throws InterruptedException {
        GuestReader reader = link.commands().startAttached(RealAgent.command("sha256sum"));
        GuestStream stream = reader.stream();
        byte[] block = new byte[1 << 20];
        for (int i = 0; i < 20; i++) {
            stream.write(block, 0, block.length);
        }
        stream.end();
        assertThat(collect(reader).stdout()).startsWith("cd52d81e25f372e6fa4db2c0dfceb59862c1969cab17096da352b34950c973cc");
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
        assertThatThrownBy(() -> link.commands().start(start))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(code));
    }

    @Test
    void aSlowReaderOfOneCommandStallsNoOther() throws InterruptedException {
        GuestReader noisy = link.commands().startAttached(RealAgent.command("sh", "-c", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"));
        for (int i = 0; i < 50; i++) {
            assertThat(run(RealAgent.command("echo", "quick")).stdout()).isEqualTo("quick\n");
        }
        assertThat(noisy.next()).as("its output is still all there").isInstanceOf(GuestEvent.Output.class);
        noisy.stream().signal(9);
        assertThat(collect(noisy).exit().status()).isEqualTo(-9);
    }

    @Test
    void losesNothingOfALongOutput() throws InterruptedException {
        Result result = collect(link.commands().startAttached(RealAgent.command("sh", "-c", "seq 1 1000000")));
        assertThat(result.stdout().lines().count()).isEqualTo(1_000_000);
        assertThat(result.stdout()).endsWith("999999\n1000000\n");
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
                assertThat(results.get(i).get().stdout()).isEqualTo("number " + i + "\n");
            }
        }
    }

    /** How much of a start the agent's queue still takes: nothing, so that START waits, START alone, or ATTACH too, so that it waits for the answer. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aStartThatIsInterruptedAnywhereLeavesNoCommand(int room) throws InterruptedException {
        interrupt(RealAgent.command("cat"), room);
        await().atMost(Duration.ofSeconds(60)).until(() -> run(RealAgent.command("pgrep", "-cx", "cat")).stdout(), "0\n"::equals);
    }

    @Test
    void aStartOfWhichTheAgentHasHeardAPartIsTakenBack() throws InterruptedException {
        interrupt(RealAgent.command("cat", "x".repeat(Protocol.MAX_FRAME_BYTES)), 1);
        assertThat(run(RealAgent.command("echo", "fine")).stdout()).isEqualTo("fine\n");
        int cutOff = sluice.streams(Protocol.START).getFirst();
        await().atMost(Duration.ofSeconds(60)).until(() -> sluice.streams(Protocol.CLOSE), closed -> closed.contains(cutOff));
    }

    /** Nothing waits on its behalf until the agent listens again. */
    @Test
    void ofAStartOfWhichTheAgentHasHeardNothingNothingIsSaid() throws InterruptedException {
        sluice.shut();
        fill(1);
        sluice.awaitHeldUp();
        fill(Outbox.QUEUED_FRAMES);
        for (int i = 0; i < 20; i++) {
            interrupt(() -> link.commands().startAttached(RealAgent.command("cat")));
            interrupt(() -> link.commands().startAttached(RealAgent.command("cat", "x".repeat(Protocol.MAX_FRAME_BYTES))));
            interrupt(() -> link.file(new FileRequest(Operation.STAT, "/")));
        }
        sluice.open();
        assertThat(run(RealAgent.command("echo", "fine")).stdout()).isEqualTo("fine\n");
        assertThat(sluice.streams(Protocol.FILE)).isEmpty();
        List<Integer> heard = sluice.streams(Protocol.START);
        assertThat(heard).hasSize(1);
        await().until(() -> sluice.streams(Protocol.CLOSE), closed -> closed.containsAll(heard));
        assertThat(sluice.streams(Protocol.CLOSE)).isEqualTo(heard);
    }

    /** Such a request waits in the agent for credit that does not come. */
    @Test
    void aFileOperationThatIsInterruptedOnItsWayIsTakenBack() throws InterruptedException {
        sluice.shut();
        fill(1);
        sluice.awaitHeldUp();
        fill(Outbox.QUEUED_FRAMES - 1);
        interrupt(() -> link.file(new FileRequest(Operation.STAT, "/")));
        sluice.open();
        int cutOff = await().until(() -> sluice.streams(Protocol.FILE), asked -> !asked.isEmpty()).getFirst();
        await().atMost(Duration.ofSeconds(60)).until(() -> sluice.streams(Protocol.CLOSE), closed -> closed.equals(List.of(cutOff)));
    }

    /** Interrupts a start when the agent, which takes nothing then, has room for that many of its frames. */
    private void interrupt(CommandStart start, int room) throws InterruptedException {
        sluice.shut();
        fill(1);
        sluice.awaitHeldUp();
        fill(Outbox.QUEUED_FRAMES - room);
        interrupt(() -> link.commands().startAttached(start));
        assertThat(link.commands().all()).isEmpty();
        sluice.open();
    }

    private interface Request {
        AutoCloseable send() throws InterruptedException;
    }

    /** Interrupts a request when it waits. */
    private static void interrupt(Request request) {
        CompletableFuture<ErrorCode> told = new CompletableFuture<>();
        Thread asking = Thread.ofPlatform().start(() -> {
            try (AutoCloseable _ = request.send()) {
                told.completeExceptionally(new AssertionError("it was not held up"));
            } catch (SandglassException problem) {
                told.complete(problem.code());
            } catch (InterruptedException stopped) {
                told.complete(ErrorCode.SHUTTING_DOWN);
            } catch (Exception problem) {
                told.completeExceptionally(problem);
            }
        });
        await().until(() -> asking.getState() == Thread.State.TIMED_WAITING);
        asking.interrupt();
        assertThat(told.join()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    }

    /** With frames that change nothing. */
    private void fill(int frames) {
        for (int i = 0; i < frames; i++) {
            link.outbox().send(Protocol.PING, 0, new byte[0]);
        }
    }

    @Test
    void aNewDaemonFindsRunningCommandsAndTheirTail() throws IOException, InterruptedException {
        GuestStream first = link.commands().start(RealAgent.command("sh", "-c", "echo before; read line; echo got $line; sleep 1000")).stream();
        GuestStream finished = link.commands().start(RealAgent.leftAlone("sh", "-c", "echo done; exit 3")).stream();
        finished.awaitExit(Duration.ofSeconds(30));
        link.close(); // as when the daemon dies: nothing is said to the agent
        greet();
        assertThat(link.commands().all()).hasSize(2);
        GuestCommand adopted = link.commands().find(first.number()).orElseThrow();
        assertThat(adopted.facts().argv()).startsWith("sh", "-c");
        adopted.stream().write("hello\n".getBytes(StandardCharsets.UTF_8), 0, 6);
        GuestReader reader = adopted.stream().attach(0);
        StringBuilder seen = new StringBuilder();
        while (!seen.toString().equals("before\ngot hello\n")) {
            GuestEvent.Output output = (GuestEvent.Output) reader.next();
            seen.append(StandardCharsets.UTF_8.decode(output.bytes().duplicate()));
        }
        GuestStream ended = link.commands().find(finished.number()).orElseThrow().stream();
        Result result = collect(ended.attach(0));
        assertThat(result.stdout()).isEqualTo("done\n");
        assertThat(result.exit().status()).isEqualTo(3);
        adopted.stream().signal(9);
    }

    @Test
    void aNewDaemonFindsItsWayFromTheMiddleOfAFrame() throws IOException, InterruptedException {
        GuestReader noisy = link.commands().startAttached(RealAgent.command("sh", "-c", "while :; do echo yyyyyyyyyyyyyyyyyyyyy; done"));
        noisy.next();
        link.close();
        try (GuestChannel thief = agent.channel()) {
            thief.fromGuest().read(ByteBuffer.allocate(1013)); // what a daemon had read when it died
        }
        greet();
        GuestStream again = link.commands().find(noisy.stream().number()).orElseThrow().stream();
        assertThat(again.attach(0).next()).isInstanceOf(GuestEvent.Output.class);
        again.signal(9);
    }

    @Test
    void tellsWhereTheOutputEnds() throws InterruptedException {
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", "echo 1234567; exec sleep 1000")).stream();
        while (stream.endOffset() < 8) {
            Thread.onSpinWait();
        }
        assertThat(stream.endOffset()).isEqualTo(8);
        stream.signal(9);
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
        assertThat(run(RealAgent.command("echo", "fine")).stdout()).isEqualTo("fine\n");
    }

    @Test
    void saysWhatIsWrongWithAFile() {
        assertThatThrownBy(() -> link.file(new FileRequest(Operation.STAT, "/no/such/file")).record())
                .isInstanceOfSatisfying(
                        SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.PATH_NOT_FOUND));
    }
}
