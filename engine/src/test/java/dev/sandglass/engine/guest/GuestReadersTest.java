package dev.sandglass.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several readers of one command, who come, read, fail and leave without changing anything for the others. */
class GuestReadersTest extends LinkFixture {
    @Test
    void readersReadBesideEachOther() throws InterruptedException {
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", "echo first; exec cat")).stream();
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
            assertThat(result.stdout()).isEqualTo("more");
            assertThat(result.exit().status()).isZero();
        }
        assertThat(late.next()).isEqualTo(new GuestEvent.Closed());
    }

    /** The agent hears of the second one only after it has sent more for the first. */
    @Test
    void whoComesIsNotGivenWhatWasSentBefore() throws Exception {
        Path go = directory.resolve("go");
        String script = "echo first; while [ ! -e " + go + " ]; do sleep 0.05; done; echo more; exec cat";
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", script)).stream();
        GuestReader one = stream.attach(0);
        assertThat(text(one.next())).isEqualTo("first\n");
        sluice.shut();
        GuestReader two = stream.attach(0);
        Files.createFile(go);
        assertThat(text(one.next())).isEqualTo("more\n");
        assertThat(two.hasNext()).isFalse();
        sluice.open();
        stream.end();
        assertThat(collect(two).stdout()).isEqualTo("first\nmore\n");
        assertThat(collect(one).stdout()).isEmpty();
    }

    @Test
    void readersThatComeAndGoLoseNothingForOthers() throws Exception {
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", "seq 1 1000000")).stream();
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
            assertThat(whole.get().stdout().equals(expected)).as("every byte once").isTrue();
        }
    }

    @Test
    void aReaderThatTakesNothingHoldsUpOthersForAMomentOnly() throws InterruptedException {
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", "read go; seq 1 1000000")).stream();
        GuestReader idle = stream.attach(0);
        GuestReader keen = stream.attach(0);
        stream.end(); // both are there before anything is written
        assertThat(collect(keen).stdout()).endsWith("999999\n1000000\n").hasSize(6_888_896);
        Result late = collect(idle);
        assertThat(late.stdout().length()).as("what it was given before it was left behind").isLessThan(6_888_896);
        assertThat(late.exit().status()).as("it is told the end").isZero();
    }

    @Test
    void aReaderThatReadsSlowlyLosesNothing() throws Exception {
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", "read go; seq 1 200000")).stream();
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
            assertThat(start + collect(slow).stdout()).hasSize(1_288_895).endsWith("199999\n200000\n");
            assertThat(whole.get().stdout()).hasSize(1_288_895);
        }
    }

    @Test
    void aReaderThatCannotComeChangesNothingForOthers() throws InterruptedException {
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", "echo first; exec cat")).stream();
        GuestReader reader = stream.attach(0);
        assertThat(text(reader.next())).isEqualTo("first\n");
        for (int i = 0; i < 2 * GuestOutput.MOST_READERS; i++) {
            attachInterrupted(stream);
        }
        stream.attach(0).close();
        stream.write("more".getBytes(StandardCharsets.UTF_8), 0, 4);
        stream.end();
        assertThat(collect(reader).stdout()).isEqualTo("more");
    }

    @Test
    void aCommandGoesOnWhenItsOnlyReaderLeavesInterrupted() throws InterruptedException {
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", "seq 1 1000000")).stream();
        GuestReader reader = stream.attach(0);
        reader.next();
        Thread.currentThread().interrupt();
        reader.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(stream.awaitExit(Duration.ofSeconds(60))).isNotNull();
    }

    @Test
    void aHeldCommandGoesOnWhenItsFirstReaderCannotCome() throws InterruptedException {
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", "seq 1 1000000")).stream();
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
    void whoeverReadsAForgottenCommandIsTold() throws Exception {
        GuestStream stream = link.commands().start(RealAgent.command("echo", "text")).stream();
        GuestReader waiting = stream.attach(0);
        assertThat(collect(waiting).stdout()).isEqualTo("text\n");
        GuestReader late = stream.attach(0);
        CompletableFuture<GuestEvent> next = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                next.complete(waiting.next());
            } catch (SandglassException | InterruptedException problem) {
                next.completeExceptionally(problem);
            }
        });
        await().until(late::hasNext);
        stream.close();
        assertThatThrownBy(next::get).rootCause().isInstanceOfSatisfying(SandglassException.class, GuestReadersTest::isNotFound);
        assertThat(text(late.next())).as("what had come").isEqualTo("text\n");
        assertThatThrownBy(() -> stream.attach(0)).isInstanceOfSatisfying(SandglassException.class, GuestReadersTest::isNotFound);
    }

    private static void isNotFound(SandglassException problem) {
        assertThat(problem.code()).isEqualTo(ErrorCode.COMMAND_NOT_FOUND);
    }

    @Test
    void whoBeginsBehindTheEndBeginsAtTheEnd() throws InterruptedException {
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", "echo first; exec cat")).stream();
        while (stream.endOffset() < 6) {
            Thread.onSpinWait();
        }
        GuestReader reader = stream.attach(1L << 40);
        stream.write("more".getBytes(StandardCharsets.UTF_8), 0, 4);
        stream.end();
        assertThat(collect(reader).stdout()).isEqualTo("more");
    }

    @Test
    void outputThatNobodyNeedsHoldsUpNobody() throws Exception {
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", "seq 1 100000; exec cat")).stream();
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
        GuestStream stream = link.commands().start(RealAgent.command("sh", "-c", bursts)).stream();
        GuestReader all = stream.attach(0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Result> whole = threads.submit(() -> collect(all));
            List<Future<Integer>> visitors = IntStream.range(0, 4).mapToObj(_ -> threads.submit(() -> visit(stream, whole))).toList();
            for (Future<Integer> visitor : visitors) {
                assertThat(visitor.get()).isPositive();
            }
            assertThat(whole.get().stdout()).hasSize(80 * 108_894);
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
        GuestStream stream = link.commands().start(RealAgent.command("cat")).stream();
        for (int i = 0; i < GuestOutput.MOST_READERS; i++) {
            stream.attach(0);
        }
        assertThatThrownBy(() -> stream.attach(0))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.LIMIT_REACHED));
        stream.end();
        assertThat(stream.awaitExit(Duration.ofSeconds(60))).isNotNull();
    }
}
