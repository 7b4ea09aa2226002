package dev.sandglass.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ProcessWatchTest {
    @Test
    void tellsOnceWhenAProcessEnds() throws Exception {
        ProcessWatch watch = ProcessWatch.start();
        Process process = new ProcessBuilder("sleep", "60").start();
        AtomicInteger calls = new AtomicInteger();
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        long began = ProcessFacts.startTicks(process.pid()).orElseThrow();
        watch.watch(process.pid(), began, () -> ended.complete(calls.incrementAndGet() == 1));
        assertThat(ended).isNotDone();
        process.destroyForcibly();
        assertThat(ended.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(calls).hasValue(1);
    }

    @Test
    void takesAProcessWithTheSamePidForAnotherOne() throws Exception {
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        ProcessWatch.start().watch(ProcessHandle.current().pid(), 1, () -> ended.complete(true));
        assertThat(ended.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void isSilentAfterItWasGivenUp() throws Exception {
        ProcessWatch watch = ProcessWatch.start();
        Process process = new ProcessBuilder("sleep", "60").start();
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        long began = ProcessFacts.startTicks(process.pid()).orElseThrow();
        watch.watch(process.pid(), began, () -> ended.complete(true)).close();
        CompletableFuture<Boolean> second = new CompletableFuture<>();
        watch.watch(process.pid(), began, () -> second.complete(true));
        process.destroyForcibly();
        assertThat(second.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ended).isNotDone();
    }

    @Test
    void aDeadProcessHasNoStartTimeEvenWhileItsParentHasNotNoticed() throws Exception {
        Process parent = new ProcessBuilder("sh", "-c", "sleep 0 & echo $!; exec sleep 60").start();
        try {
            long child = Long.parseLong(parent.inputReader().readLine());
            await().atMost(Duration.ofSeconds(60)).until(() -> ProcessFacts.startTicks(child).isEmpty());
        } finally {
            parent.destroyForcibly();
        }
    }
}
